package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// variant is a run that is measured against the plain one.
type variant struct {
	name    string
	subject *subject
	// base is what it is measured against; nil = the plain run.
	base *subject
	// ratio prints how many times as long it takes, rather than how much longer.
	ratio bool
	times []float64
	bases []float64
}

// variants are the things that a task may ask for beyond one step in one container.
func variants(s *subject) ([]*variant, error) {
	listed, err := hello(s.dir, "listed", "network_mode = \"allowlist\"\nallowed_hosts = [\"example.com\"]\n")
	if err != nil {
		return nil, err
	}
	agent := filepath.Join(s.dir, "agent", "agent.toml")
	if err := os.MkdirAll(filepath.Dir(agent), 0o755); err != nil {
		return nil, fmt.Errorf("an agent's folder: %w", err)
	}
	const command = "echo 'Hello, world!' >/app/hello.txt"
	for name, text := range map[string]string{
		"agent.toml": "name = \"bench\"\n[install]\nscript = \"install.sh\"\n[run]\ncommand = \"" + command + "\"\n", "install.sh": "echo installed >/installed\n",
	} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(agent), name), []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("an agent: %w", err)
		}
	}
	of := func(task string, args ...string) *subject {
		return &subject{binary: s.binary, task: filepath.Join("testdata", "tasks", task), dir: s.dir, args: args}
	}
	nop := of("hello", "--agent", "nop")
	nop.any = true
	fakes := of("refund", "--agent", "nop")
	fakes.any = true
	return []*variant{
		{name: "separate_ratio", subject: of("separate"), ratio: true},
		{name: "second_step_s", subject: of("steps-final")},
		{name: "allowlist_s", subject: &subject{binary: s.binary, task: listed, dir: s.dir}},
		{name: "fakes_s", subject: fakes, base: nop},
		{name: "installed_agent_s", subject: of("hello", "--agent", agent), base: of("hello", "--agent-cmd", command)},
	}, nil
}

// hello is a copy of the hello task with more in its [environment].
func hello(dir, name, environment string) (string, error) {
	to := filepath.Join(dir, name)
	if err := os.CopyFS(to, os.DirFS(filepath.Join("testdata", "tasks", "hello"))); err != nil {
		return "", fmt.Errorf("copy the hello task: %w", err)
	}
	file := filepath.Join(to, "task.toml")
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the hello task: %w", err)
	}
	text := strings.Replace(string(data), "[environment]\n", "[environment]\n"+environment, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("write the hello task: %w", err)
	}
	return to, nil
}

// measure runs each variant and what it is measured against in turn.
func measure(ctx context.Context, s *subject, list []*variant, rounds int) error {
	for round := range rounds + 1 {
		for _, v := range list {
			base := v.base
			if base == nil {
				base = s
			}
			a, err := base.once(ctx)
			if err != nil {
				return fmt.Errorf("%s, to measure against: %w", v.name, err)
			}
			b, err := v.subject.once(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			if round > 0 { // the first one builds images
				v.bases, v.times = append(v.bases, a), append(v.times, b)
			}
		}
	}
	return nil
}

func (v *variant) String() string {
	if v.ratio {
		return fmt.Sprintf("%s=%.2f", v.name, median(v.times)/median(v.bases))
	}
	return fmt.Sprintf("%s=%.2f", v.name, median(v.times)-median(v.bases))
}
