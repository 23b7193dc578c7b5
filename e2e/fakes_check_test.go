package e2e_test

import (
	"strings"
	"testing"
)

func TestCheckOfFakes(t *testing.T) {
	t.Parallel()
	nobody := []string{"DOCKER_HOST=unix:///nowhere.sock"}
	billing := demoFile(t, "environment/fakes/billing/fake.toml")
	const place = "-- environment/fakes/billing/"
	for _, c := range []struct {
		name, task string
		code       int
		says       []string
	}{
		{"fakes that are right", "", 0, []string{"ok"}},
		{"an unknown scenario", with(t, `"damaged-on-arrival"`, `"damaged-on-arival"`), 2, []string{"damaged-on-arival", "damaged-on-arrival"}},
		{"an unknown server", with(t, `["billing", "mail"]`, `["billing", "mails"]`), 2, []string{"task.toml", "metadata.fakes.servers", "mails", `"mail"`}},
		{"an unknown key", with(t, "seed = 7", "seeds = 7"), 2, []string{"task.toml", "seeds", "seed"}},
		{
			"a tool in neither map", place + "fake.toml --\n" + edited(t, billing, `void_invoice = ["invoice"]`, ""), 2,
			[]string{"billing/fake.toml:", "void_invoice", "neither in [writes] nor in reads"},
		},
		{
			"a step that writes what the write map does not have", place + "fake.toml --\n" + edited(t, billing, `refund_invoice = ["refund", "invoice"]`, `refund_invoice = ["refund"]`), 2,
			[]string{"billing/fake.toml:", "invoice", "write map"},
		},
		{"a handler that does not compile", place + "handlers.star --\ndef get_customer(args, db, ctx)\n    return 1\n", 2, []string{"billing/handlers.star:", "want ':'"}},
		{"an expression that does not compile", place + "fake.toml --\n" + edited(t, billing, `args.amount <= 100`, `arg.amount <= 100`), 2, []string{"billing/fake.toml:", "arg"}},
		{"a service that nobody declares", "-- !environment/fakes/billing/fake.toml --\n-- !environment/fakes/mail/fake.toml --\n", 2, []string{"fakes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := seatrial(t, nobody, "check", newTask(t, "task", refund(t, c.task)))
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, out, errs)
			}
			for _, s := range c.says {
				if !strings.Contains(out+errs, s) {
					t.Errorf("%q is not said:\n%s%s", s, out, errs)
				}
			}
		})
	}
}
