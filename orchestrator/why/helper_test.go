package why_test

import (
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/orchestrator/why"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func ptr[T any](v T) *T { return &v }

var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// ran is a command that ended well.
func ran(dir string) *orchestrator.Exec {
	return &orchestrator.Exec{StartedAt: ptr(noon), Exit: ptr(0), Seconds: 12.5, LimitSeconds: 600, LimitSource: "task.toml [" + dir + "] timeout_sec", OOMKills: ptr(int64(0)),
		Stdout: orchestrator.Stream{Path: dir + "/stdout.log", Bytes: 10}, Stderr: orchestrator.Stream{Path: dir + "/stderr.log"}}
}

// scored is a trial that came to a score.
func scored(score float64) *why.Evidence {
	t := &orchestrator.TrialRecord{RunID: "run-1", TrialID: "t-00000001", StartedAt: noon, FinishedAt: noon.Add(time.Minute)}
	t.Agent, t.Verifier = ran("agent"), ran("verifier")
	t.Agent.ChangedFiles = ptr(int64(3))
	t.Case = orchestrator.Case{ID: "greet", Status: orchestrator.Complete, Score: &score}
	return &why.Evidence{Trial: t, Run: &orchestrator.RunRecord{RunID: "run-1", Candidate: orchestrator.Candidate{Agent: "command"}},
		Lock: &lockfile.Lock{Agent: lockfile.Agent{Kind: "command"}, Services: []lockfile.Service{{Name: "main", Memory: 1 << 30}}, Machine: lockfile.Machine{CPUs: 2}}}
}

// faulty is a trial that came to no verdict.
func faulty(f orchestrator.Fault) *why.Evidence {
	e := scored(0)
	e.Trial.Case.Status, e.Trial.Case.Score, e.Trial.Case.Error = orchestrator.Incomplete, nil, &f
	return e
}

// with changes evidence.
func with(e *why.Evidence, change func(*why.Evidence)) *why.Evidence {
	change(e)
	return e
}

// squeezed sets what held the agent up.
func squeezed(e *why.Evidence, p shim.Pressure) *why.Evidence {
	e.Trial.Agent.Pressure = &p
	return e
}

func cutOff(e *why.Evidence) *why.Evidence {
	e.Trial.Agent.Limit, e.Trial.Agent.Seconds, e.Trial.Agent.Exit, e.Trial.Agent.Signal = "kill", 600.2, ptr(137), "SIGKILL"
	return e
}

func oracle(e *why.Evidence) *why.Evidence {
	e.Lock.Agent.Kind = "oracle"
	return e
}
