package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// runRecord is what the tests read of run.json. The names are written out again here, since they are a promise to others.
type runRecord struct {
	Format        string       `json:"format"`
	SchemaVersion int          `json:"schema_version"`
	RunID         string       `json:"run_id"`
	Status        string       `json:"status"`
	FinishedAt    *time.Time   `json:"finished_at"`
	Cases         []caseRecord `json:"cases"`
	Leaks         []string     `json:"leaks"`
	Candidate     struct {
		Agent string
		Model *string
	} `json:"candidate"`
	Spec struct {
		Args     []string `json:"args"`
		AgentEnv []string `json:"agent_env"`
	} `json:"spec"`
	Environment struct {
		Docker, API, Host string
		Images            map[string]string
	} `json:"environment"`
	Summary struct {
		Planned    int            `json:"planned"`
		Total      int            `json:"total"`
		Complete   int            `json:"complete"`
		Scored     int            `json:"scored"`
		NoScore    int            `json:"no_score"`
		Incomplete int            `json:"incomplete"`
		Missing    int            `json:"missing"`
		MeanScore  *float64       `json:"mean_score"`
		ByError    map[string]int `json:"by_error"`
	} `json:"summary"`
}

type caseRecord struct {
	ID           string        `json:"id"`
	LegacyID     string        `json:"legacy_id"`
	Trial        int           `json:"trial"`
	Status       string        `json:"status"`
	Score        *float64      `json:"score"`
	ScoreDerived bool          `json:"score_derived"`
	Scores       []scoreRecord `json:"scores"`
	Error        *faultRecord  `json:"error"`
	Warnings     []struct{ Code, Message string }
	Task         struct{ Path, Name, Checksum string }
	Result       struct {
		AgentExit *int `json:"agent_exit"`
	} `json:"result"`
	Timing struct {
		Agent, Verifier, Teardown *float64
		Total                     float64
	} `json:"timing"`
	Artifacts struct{ Trial, Rewards, Details string }
	Steps     []stepRecord
}

type stepRecord struct {
	Name, Status string
	Score        *float64
	Error        *faultRecord
	Artifacts    struct{ Rewards string }
}

type scoreRecord struct {
	Name     string   `json:"name"`
	Value    *float64 `json:"value"`
	Status   string   `json:"status"`
	Criteria []struct {
		Name, Status, Reasoning, Error string
		Value                          *float64
		Optional                       bool
	} `json:"criteria"`
}

type faultRecord struct {
	Code    string   `json:"code"`
	Phase   string   `json:"phase"`
	Step    string   `json:"step"`
	Task    string   `json:"task_step"`
	Message string   `json:"message"`
	Rule    string   `json:"rule"`
	Service string   `json:"service"`
	Exit    *int     `json:"exit"`
	Limit   *float64 `json:"limit_seconds"`
	Source  string   `json:"limit_source"`
	Lines   []string `json:"last_lines"`
	Files   []string `json:"files"`
	Hint    string   `json:"hint"`
}

// trialRecord is what the tests read of trial.json.
type trialRecord struct {
	TrialID    string      `json:"trial_id"`
	Case       caseRecord  `json:"case"`
	Agent      *execRecord `json:"agent"`
	Verifier   *execRecord `json:"verifier"`
	RewardFile string      `json:"reward_file"`
	Scoring    *struct {
		Problem string `json:"problem"`
	} `json:"scoring"`
	Images     map[string]string `json:"images"`
	Containers map[string]string `json:"containers"`
	Restarts   []string          `json:"restarts"`
	Kept       bool              `json:"kept"`
	Collected  struct {
		Files   int      `json:"files"`
		Skipped []string `json:"skipped"`
	} `json:"collected"`
}

type execRecord struct {
	StartedAt     time.Time `json:"started_at"`
	Exit          *int      `json:"exit"`
	Signal        string    `json:"signal"`
	Seconds       float64   `json:"seconds"`
	Limit         string    `json:"limit_fired"`
	LimitSource   string    `json:"limit_source"`
	StartError    string    `json:"start_error"`
	LeftoverCount int       `json:"leftover_count"`
	OOMKills      *int64    `json:"oom_kills"`
	Pressure      *struct {
		Periods *int64 `json:"cpu_periods"`
	} `json:"pressure"`
	Stdout stream `json:"stdout"`
	Stderr stream `json:"stderr"`
}

type stream struct {
	Path       string `json:"path"`
	Bytes, Cut int64
}

// readJSON reads a file that holds exactly one JSON document and a newline.
func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, data)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Errorf("%s: something follows the document", file)
	}
	if !bytes.HasSuffix(data, []byte("}\n")) {
		t.Errorf("%s: no newline at the end", file)
	}
}

func (c *caseRecord) warned(code string) bool {
	return slices.ContainsFunc(c.Warnings, func(w struct{ Code, Message string }) bool { return w.Code == code })
}

// dimension finds a score by its name.
func (c *caseRecord) dimension(name string) *scoreRecord {
	i := slices.IndexFunc(c.Scores, func(s scoreRecord) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Scores[i]
}

// check sees that a run's record does not contradict itself.
func (r *runRecord) check(t *testing.T) {
	t.Helper()
	s := r.Summary
	if r.Format != "seatrial-run" || r.SchemaVersion != 1 {
		t.Errorf("format %q version %d", r.Format, r.SchemaVersion)
	}
	if s.Total != len(r.Cases) || s.Complete != s.Scored+s.NoScore || s.Total != s.Complete+s.Incomplete || s.Planned != s.Total+s.Missing {
		t.Errorf("the summary does not add up: %+v for %d cases", s, len(r.Cases))
	}
	if (s.MeanScore == nil) != (s.Scored == 0) {
		t.Errorf("mean %v of %d scores", s.MeanScore, s.Scored)
	}
	for _, c := range r.Cases {
		if c.LegacyID == "" || c.ID == "" {
			t.Errorf("a case without an id: %+v", c)
		}
		if (c.Status == "complete") != (c.Error == nil) || c.Error != nil && c.Score != nil {
			t.Errorf("case %s is %s with error %+v and score %v", c.ID, c.Status, c.Error, c.Score)
		}
	}
}

// text reads a file of the trial's folder.
func (r *ran) text(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{r.trialDir(t)}, parts...)...))
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
