package orchestrator

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/egress"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// gateReady waits until the stack's gateway listens. That is due before the first command that may want the network, and not earlier: it starts beside the
// agent's container.
func (s *site) gateReady(ctx context.Context) error {
	if s.gate == nil || s.policy != "" {
		return nil
	}
	for {
		ready, err := s.box.Exists(ctx, egress.Service, egress.Ready)
		if err != nil {
			return err
		}
		if ready {
			s.policy = s.gate.Start
			return nil
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return fmt.Errorf("wait for the gateway of the trial's network: %w", err)
		}
	}
}

// use makes a policy the one that holds in the stack. What becomes forbidden is cut before the call returns.
func (s *site) use(ctx context.Context, name string) error {
	if err := s.gateReady(ctx); err != nil {
		return err
	}
	if s.gate == nil || name == s.policy {
		return nil
	}
	was, will := s.gate.Policies[s.policy].Open, s.gate.Policies[name].Open
	if e := s.leftBehind(); e > 0 && !s.gate.Policies[name].Within(s.gate.Policies[s.policy]) {
		s.warn("network_opened", fmt.Sprintf("%d processes of the agent were still running when the network changed from %s to %s", e, s.policy, name))
	}
	if was && !will {
		if err := s.box.Outside(ctx, false, s.gate.Follow...); err != nil {
			return err
		}
	}
	out := &tail{max: 4 << 10}
	res, err := s.box.Run(ctx, sidecar.Command{Service: egress.Service, Spec: shim.Spec{Argv: []string{fakesProgram, "egress", "use", name}, LimitMS: 20_000, GraceMS: 500}, Stdout: out, Stderr: out})
	switch {
	case err != nil:
		return err
	case res.Start != nil:
		return fmt.Errorf("change what the network allows: %s", res.Start.Detail)
	case res.Exit != 0:
		return fmt.Errorf("change what the network allows: %s", strings.TrimSpace(string(out.Bytes())))
	}
	if will && !was {
		if err := s.box.Outside(ctx, true, s.gate.Follow...); err != nil {
			return err
		}
	}
	s.policy = name
	s.log.Info("network", "policy", name)
	return nil
}

// leftBehind is how many processes the current step's agent left running in the stack.
func (s *site) leftBehind() int {
	if s != s.work || s.step == nil || s.step.facts.Agent == nil {
		return 0
	}
	return s.step.facts.Agent.LeftoverCount
}

// throughProxy lets commands reach addresses that the policy allows: the trial's network has no route to them.
func (s *site) throughProxy(env map[string]string) {
	if s.gate == nil || !s.gate.Policies[s.policy].Numeric() {
		return
	}
	for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		if env[name] == "" {
			env[name] = fmt.Sprintf("http://%s:%d", egress.Alias, egress.ProxyPort)
		}
	}
	names := append([]string{"localhost", "127.0.0.1"}, s.gate.Names...)
	for _, name := range []string{"no_proxy", "NO_PROXY"} {
		if env[name] == "" {
			env[name] = strings.Join(names, ",")
		}
	}
}

// gateLog brings the gateway's log to the trial's folder, and says what was refused.
func (s *site) gateLog(ctx context.Context, host string) {
	if s.gateDue(host) {
		s.gateTell(host, s.gateFetch(ctx, host))
	}
}

// gateDue says whether the log is still to be fetched, and that it now is. Nothing from the agent's container takes its place.
func (s *site) gateDue(host string) bool {
	if s.gate == nil || s.logged || s.box == nil || s.box.ID(egress.Service) == "" {
		return false
	}
	s.logged = true
	s.dir.Protect(host)
	return true
}

// gateFetch fetches the log. It changes nothing of the trial's state, so that it may run beside other transfers.
func (s *site) gateFetch(ctx context.Context, host string) error {
	rc, err := s.box.Fetch(ctx, egress.Service, egress.Log)
	if err != nil {
		return err
	}
	defer rc.Close()
	_, err = archive.Unpack(rc, s.dir.Root(), archive.UnpackOptions{Limits: logLimits(), Routes: map[string]string{path.Base(egress.Log): host}, Mask: s.maskFile})
	return err
}

// gateTell says what was refused.
func (s *site) gateTell(host string, err error) {
	if err != nil {
		s.warn("logs_incomplete", "what was tried on the network: "+err.Error())
		return
	}
	f, err := s.dir.Root().Open(host)
	if err != nil {
		return
	}
	defer f.Close()
	refused := map[string]bool{}
	for scan := bufio.NewScanner(f); scan.Scan(); {
		var l egress.Line
		if json.Unmarshal(scan.Bytes(), &l) == nil && !l.Allowed {
			refused[l.Host] = true
		}
	}
	if len(refused) > 0 {
		const most = 5
		all := slices.Sorted(maps.Keys(refused))
		s.warn("egress_refused", fmt.Sprintf("%d hosts were tried that the task does not allow (%s); see %s", len(all), strings.Join(all[:min(most, len(all))], ", "), host))
	}
}

// gateLogs brings what is still to be had of all gateways' logs.
func (t *trial) gateLogs(ctx context.Context) {
	if t.work.gate == nil && (t.step == nil || t.step.apart == nil || t.step.apart.gate == nil) {
		return
	}
	limit := Limit{Phase: PhaseCollect, Value: interruptedCollect, Source: "default"}
	_, _ = in(ctx, limit, func(ctx context.Context) error {
		t.work.gateLog(ctx, "egress.jsonl")
		if t.step != nil && t.step.apart != nil {
			t.step.apart.gateLog(ctx, t.step.host("egress-verifier.jsonl"))
		}
		return nil
	})
}
