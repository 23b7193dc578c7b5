package harbor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// model states Harbor's published pydantic models: for each class its fields with their types, as far as the two generations that were read have them in common (see
// docs/harbor-results.md). "!" = required, "?" = null is allowed, "[]" = a list, "{}" = an object with free keys and such values. Where the older one asks for more, that is here:
// it requires a model's provider and a task's path.
func model() map[string]map[string]string {
	return map[string]map[string]string{
		"TrialResult": {"id": "uuid", "task_name": "str!", "trial_name": "str!", "trial_uri": "str!", "task_id": "GitTaskId|LocalTaskId", "source": "str?", "task_checksum": "str!", "config": "TrialConfig!",
			"agent_info": "AgentInfo!", "agent_result": "AgentContext?", "verifier_result": "VerifierResult?", "exception_info": "ExceptionInfo?", "started_at": "datetime?", "finished_at": "datetime?",
			"environment_setup": "TimingInfo?", "agent_setup": "TimingInfo?", "agent_execution": "TimingInfo?", "verifier": "TimingInfo?", "step_results": "[]StepResult?"},
		"LocalTaskId":    {"path": "str!"},
		"GitTaskId":      {"git_url": "str!", "git_commit_id": "str?", "path": "str!"},
		"AgentInfo":      {"name": "str!", "version": "str!", "model_info": "ModelInfo?"},
		"ModelInfo":      {"name": "str!", "provider": "str!"},
		"AgentContext":   {"n_input_tokens": "int?", "n_cache_tokens": "int?", "n_output_tokens": "int?", "cost_usd": "float?", "rollout_details": "[]any?", "metadata": "{}any?"},
		"VerifierResult": {"rewards": "{}float?"},
		"ExceptionInfo":  {"exception_type": "str!", "exception_message": "str!", "exception_traceback": "str!", "occurred_at": "datetime!"},
		"TimingInfo":     {"started_at": "datetime?", "finished_at": "datetime?"},
		"StepResult": {"step_name": "str!", "agent_result": "AgentContext?", "verifier_result": "VerifierResult?", "exception_info": "ExceptionInfo?", "agent_execution": "TimingInfo?",
			"verifier": "TimingInfo?"},
		"TrialConfig": {"task": "TaskConfig!", "trial_name": "str", "trials_dir": "str", "timeout_multiplier": "float", "agent_timeout_multiplier": "float?", "verifier_timeout_multiplier": "float?",
			"agent_setup_timeout_multiplier": "float?", "environment_build_timeout_multiplier": "float?", "agent": "AgentConfig", "environment": "EnvironmentConfig", "verifier": "VerifierConfig",
			"artifacts": "[]str", "job_id": "uuid?"},
		"TaskConfig": {"path": "str!", "git_url": "str?", "git_commit_id": "str?", "overwrite": "bool", "download_dir": "str?", "source": "str?"},
		"AgentConfig": {"name": "str?", "import_path": "str?", "model_name": "str?", "override_timeout_sec": "float?", "override_setup_timeout_sec": "float?", "max_timeout_sec": "float?",
			"kwargs": "{}any", "env": "{}str"},
		"EnvironmentConfig": {"type": "EnvironmentType?", "import_path": "str?", "force_build": "bool", "delete": "bool", "override_cpus": "int?", "override_memory_mb": "int?",
			"override_storage_mb": "int?", "override_gpus": "int?", "env": "{}str", "kwargs": "{}any"},
		"VerifierConfig": {"override_timeout_sec": "float?", "max_timeout_sec": "float?", "disable": "bool"},
		"JobResult":      {"id": "uuid!", "started_at": "datetime!", "updated_at": "datetime?", "finished_at": "datetime?", "n_total_trials": "int!", "stats": "JobStats!"},
		"JobStats": {"n_completed_trials": "int", "n_errored_trials": "int", "n_running_trials": "int", "n_pending_trials": "int", "n_cancelled_trials": "int", "n_retries": "int",
			"evals": "{}AgentDatasetStats", "n_input_tokens": "int?", "n_cache_tokens": "int?", "n_output_tokens": "int?", "cost_usd": "float?"},
		"AgentDatasetStats": {"n_trials": "int", "n_errors": "int", "metrics": "[]{}any", "pass_at_k": "{}float", "reward_stats": "{}{}[]str", "exception_stats": "{}[]str"},
		"JobConfig": {"job_name": "str", "jobs_dir": "str", "n_attempts": "int", "timeout_multiplier": "float", "agent_timeout_multiplier": "float?", "verifier_timeout_multiplier": "float?",
			"agent_setup_timeout_multiplier": "float?", "environment_build_timeout_multiplier": "float?", "debug": "bool", "n_concurrent_trials": "int", "quiet": "bool", "retry": "RetryConfig",
			"environment": "EnvironmentConfig", "verifier": "VerifierConfig", "metrics": "[]any", "agents": "[]AgentConfig", "datasets": "[]any", "tasks": "[]TaskConfig", "artifacts": "[]str"},
		"RetryConfig": {"max_retries": "int"},
	}
}

// misfits are the places where a value is not of a type, each with what is wrong.
func misfits(at, kind string, v any) []string {
	wrong := func(format string, a ...any) []string { return []string{at + ": " + fmt.Sprintf(format, a...)} }
	kind, null := strings.CutSuffix(kind, "?")
	kind = strings.TrimSuffix(kind, "!")
	if v == nil {
		if null {
			return nil
		}
		return wrong("null")
	}
	if first, rest, ok := strings.Cut(kind, "|"); ok {
		if len(misfits(at, first, v)) == 0 {
			return nil
		}
		return misfits(at, rest, v)
	}
	if rest, ok := strings.CutPrefix(kind, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			return wrong("no list")
		}
		var all []string
		for i, e := range list {
			all = append(all, misfits(fmt.Sprintf("%s[%d]", at, i), rest, e)...)
		}
		return all
	}
	if rest, ok := strings.CutPrefix(kind, "{}"); ok {
		object, ok := v.(map[string]any)
		if !ok {
			return wrong("no object")
		}
		var all []string
		for k, e := range object {
			all = append(all, misfits(at+"."+k, rest, e)...)
		}
		return all
	}
	if fields, ok := model()[kind]; ok {
		return unlike(at, fields, v)
	}
	if !scalar(kind, v) {
		return wrong("%v is no %s", v, kind)
	}
	return nil
}

// unlike are the misfits of an object of a class. Fields that the class does not have are some as well.
func unlike(at string, fields map[string]string, v any) []string {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{at + ": no object"}
	}
	var all []string
	for name, kind := range fields {
		if e, ok := object[name]; ok {
			all = append(all, misfits(at+"."+name, kind, e)...)
		} else {
			all = append(all, at+"."+name+": not there")
		}
	}
	for name := range object {
		if fields[name] == "" {
			all = append(all, at+"."+name+": Harbor has no such field")
		}
	}
	return all
}

func scalar(kind string, v any) bool {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch kind {
	case "any":
		return true
	case "str":
		return isText
	case "uuid":
		return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(text)
	case "datetime":
		_, err := time.Parse("2006-01-02T15:04:05.000000Z07:00", text)
		_, bare := time.Parse("2006-01-02T15:04:05.000000", text)
		return err == nil || bare == nil
	case "EnvironmentType":
		return text == "docker" // of its values ours is this one
	case "int":
		_, err := number.Int64()
		return err == nil
	case "float":
		_, err := number.Float64()
		return isNumber && err == nil
	case "bool":
		_, ok := v.(bool)
		return ok
	}
	return false
}

// held holds a file to a class, and job files to what JSON cannot say: that the keys of pass_at_k are whole numbers and those of reward_stats numbers.
func held(t testing.TB, file, class string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, m := range misfits(class, class, v) {
		t.Errorf("%s: %s", file, m)
	}
	if class != "JobResult" {
		return
	}
	var r struct {
		Stats struct {
			Evals map[string]struct {
				PassAtK map[int]float64           `json:"pass_at_k"`
				Rewards map[string]map[string]any `json:"reward_stats"`
			} `json:"evals"`
		} `json:"stats"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	for _, e := range r.Stats.Evals {
		for _, values := range e.Rewards {
			for value := range values {
				if _, err := json.Number(value).Float64(); err != nil {
					t.Errorf("%s: %s is no number", file, value)
				}
			}
		}
	}
}

// heldAll holds every file of a run in Harbor's form to its class, and says how many trials there are.
func heldAll(t testing.TB, dir string) int {
	t.Helper()
	held(t, filepath.Join(dir, "trials", "config.json"), "JobConfig")
	held(t, filepath.Join(dir, "trials", "result.json"), "JobResult")
	trials, err := filepath.Glob(filepath.Join(dir, "trials", "*", "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range trials {
		held(t, file, "TrialResult")
		held(t, filepath.Join(filepath.Dir(file), "config.json"), "TrialConfig")
	}
	return len(trials)
}

func TestFilesAreOfHarborsModels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, runRecord("oracle", 6), kinds()...)
	if n := heldAll(t, dir); n != len(kinds()) {
		t.Errorf("%d trials", n)
	}
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, "trials"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := runRecord("nop", 3)
	run.FinishedAt, run.Candidate.Model = nil, nil
	write(t, empty, run)
	heldAll(t, empty)
}

func TestTheModelFindsWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	var v any
	if err := json.Unmarshal([]byte(`{"exception_type": 1, "exception_message": null, "occurred_at": "yesterday", "more": 0}`), &v); err != nil {
		t.Fatal(err)
	}
	got := misfits("x", "ExceptionInfo", v)
	slices.Sort(got)
	want := []string{"x.exception_message: null", "x.exception_traceback: not there", "x.exception_type: 1 is no str", "x.more: Harbor has no such field", "x.occurred_at: yesterday is no datetime"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
