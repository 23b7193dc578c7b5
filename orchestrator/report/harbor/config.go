package harbor

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
)

// job is what the configs of a job's trials share.
type job struct {
	run    *orchestrator.RunRecord
	id     string
	folder string // of the job, absolute
}

func (j *job) trialConfig(name string, task *orchestrator.TaskRef) TrialConfig {
	id := j.id
	return TrialConfig{Task: j.taskConfig(task), TrialName: name, TrialsDir: j.folder, Multipliers: multipliers(j.run), Agent: agentConfig(j.run), Environment: environmentConfig(j.run),
		Verifier: verifierConfig(j.run), Artifacts: []string{}, JobID: &id}
}

// jobConfig is the job's, without its tasks.
func (j *job) jobConfig() *JobConfig {
	s := &j.run.Spec
	return &JobConfig{JobName: j.run.RunID, JobsDir: filepath.Dir(j.folder), Attempts: max(1, s.Trials), Multipliers: multipliers(j.run), Concurrent: max(1, s.Parallel),
		Retry: RetryConfig{Max: max(0, s.MaxRetries)}, Environment: environmentConfig(j.run), Verifier: verifierConfig(j.run), Metrics: []string{},
		Agents: []AgentConfig{agentConfig(j.run)}, Datasets: []string{}, Tasks: []TaskConfig{}, Artifacts: []string{}}
}

// taskConfig is the task's: for one of a repository, what Harbor would fetch it by.
func (j *job) taskConfig(t *orchestrator.TaskRef) TaskConfig {
	id := taskID(t)
	return TaskConfig{Path: id.Path, GitURL: id.GitURL, GitCommitID: id.GitCommitID, Source: source(&j.run.Spec, t.Path)}
}

func taskID(t *orchestrator.TaskRef) TaskID {
	if s := t.Source; s != nil {
		return TaskID{Path: s.Path, GitURL: &s.Repository, GitCommitID: &s.Commit}
	}
	return TaskID{Path: t.Path}
}

func agentConfig(run *orchestrator.RunRecord) AgentConfig {
	return AgentConfig{Name: run.Candidate.Agent, ModelName: run.Candidate.Model, Timeout: limit(run, "agent"), SetupTimeout: limit(run, "setup"), Kwargs: map[string]string{}, Env: map[string]string{}}
}

func environmentConfig(run *orchestrator.RunRecord) EnvironmentConfig {
	return EnvironmentConfig{Type: "docker", Delete: run.Spec.Keep != "always", Env: map[string]string{}, Kwargs: map[string]string{}}
}

func verifierConfig(run *orchestrator.RunRecord) VerifierConfig {
	return VerifierConfig{Timeout: limit(run, "verifier")}
}

func multipliers(run *orchestrator.RunRecord) Multipliers {
	m := Multipliers{Timeout: 1}
	if v := limit(run, "multiplier"); v != nil {
		m.Timeout = *v
	}
	return m
}

// limit is one that the command line set; nil where it did not.
func limit(run *orchestrator.RunRecord, name string) *float64 {
	v, ok := run.Spec.Timeouts[name].(float64)
	if !ok {
		return nil
	}
	return &v
}

// agentInfo says who did the work. Harbor's older model wants a provider, so one that is not known is "unknown".
func agentInfo(run *orchestrator.RunRecord) AgentInfo {
	info := AgentInfo{Name: apart(run.Candidate.Agent), Version: run.Candidate.Version}
	if info.Version == "" {
		info.Version = "unknown"
	}
	if m := run.Candidate.Model; m != nil {
		provider, name, split := strings.Cut(*m, "/")
		if !split {
			provider, name = "unknown", *m
		}
		info.ModelInfo = &ModelInfo{Name: apart(name), Provider: provider}
	}
	return info
}

// source is the dataset of a task: the folder of tasks that the run was given, the file that lists them, or the dataset of a registry. Nil for a task by itself,
// whose dataset Harbor calls "adhoc".
func source(s *orchestrator.RunSpec, task string) *string {
	best, listed := "", ""
	for _, p := range s.Path {
		if !path.IsAbs(p) {
			p = path.Join(s.Directory, p)
		}
		p = path.Clean(p)
		if strings.HasPrefix(task, strings.TrimSuffix(p, "/")+"/") && len(p) > len(best) {
			best = p
		}
		if base, ok := strings.CutSuffix(path.Base(p), ".toml"); ok && len(s.Path) == 1 {
			listed = base
		}
	}
	name := listed
	switch {
	case best != "":
		name = path.Base(best)
	case s.Selection != nil && len(s.Selection.Datasets) == 1:
		name, _, _ = strings.Cut(s.Selection.Datasets[0], "@")
	}
	if name = apart(name); name == "" || name == "/" {
		return nil
	}
	return &name
}

// apart keeps a name from holding what parts the names in the keys of Harbor's evaluations, which is split there again.
func apart(name string) string {
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	return name
}

// evalKey names an evaluation.
func evalKey(a *AgentInfo, source *string) string {
	dataset := "adhoc"
	if source != nil {
		dataset = *source
	}
	if a.ModelInfo != nil {
		return a.Name + "__" + a.ModelInfo.Name + "__" + dataset
	}
	return a.Name + "__" + dataset
}
