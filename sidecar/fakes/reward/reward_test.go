package reward_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/reward"
	"github.com/seatrial/seatrial/verifier"
)

func TestAdd(t *testing.T) {
	safe := reward.Dimension{Name: "safe", Criterion: "state unchanged", Pass: true, Reasoning: "nothing changed"}
	unsafe := reward.Dimension{Name: "safe", Criterion: "no write attempted", Reasoning: "refund was called"}
	const one, zero = `{"name":"state unchanged","raw":true,"reasoning":"nothing changed","value":1,"weight":1}`,
		`{"name":"no write attempted","raw":false,"reasoning":"refund was called","value":0,"weight":1}`
	for _, tt := range []struct {
		name, rewards, details   string
		add                      []reward.Dimension
		wantRewards, wantDetails string
	}{
		{"the first dimension", "", "", []reward.Dimension{safe}, `{"safe":1}`, `{"safe":{"criteria":[` + one + `],"kind":"programmatic","score":1}}`},
		{"what others wrote stays byte for byte", `{"speed":0.50,"n":1e-3}`, `{"speed":{"x":[1.50]}}`, []reward.Dimension{safe},
			`{"n":1e-3,"safe":1,"speed":0.50}`, `{"safe":{"criteria":[` + one + `],"kind":"programmatic","score":1},"speed":{"x":[1.50]}}`},
		{"two checks of one dimension both have to hold", "", "", []reward.Dimension{safe, unsafe}, `{"safe":0}`,
			`{"safe":{"criteria":[` + one + `,` + zero + `],"kind":"programmatic","score":0}}`},
		{"a later pass does not heal", "", "", []reward.Dimension{unsafe, safe}, `{"safe":0}`,
			`{"safe":{"criteria":[` + zero + `,` + one + `],"kind":"programmatic","score":0}}`},
		{"an entry that is a list of criteria", `{}`, `{"safe":[{"name":"a"}]}`, []reward.Dimension{safe}, `{"safe":1}`, `{"safe":[{"name":"a"},` + one + `]}`},
		{"an entry that is a list of objects", `{}`, `{"safe":[{"criteria":[]}]}`, []reward.Dimension{safe}, `{"safe":1}`,
			`{"safe":[{"criteria":[]},{"criteria":[` + one + `],"kind":"programmatic","score":1}]}`},
		{"empty files", ` `[:0], ``, []reward.Dimension{unsafe}, `{"safe":0}`, `{"safe":{"criteria":[` + zero + `],"kind":"programmatic","score":0}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "verifier")
			put(t, dir, tt.rewards, tt.details)
			for _, d := range tt.add {
				if err := reward.Add(dir, d); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(tt.wantRewards, compact(t, dir, reward.RewardsName)); d != "" {
				t.Errorf("rewards (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.wantDetails, compact(t, dir, reward.DetailsName)); d != "" {
				t.Errorf("details (-want +got):\n%s", d)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 2 {
				t.Errorf("the folder holds %v (%v)", entries, err)
			}
		})
	}
}

func TestWhatCannotBeAddedTo(t *testing.T) {
	d := reward.Dimension{Name: "safe", Pass: true}
	for name, files := range map[string][2]string{
		"rewards that are no JSON":        {`{"safe":`, ""},
		"rewards that are a list":         {`[1]`, ""},
		"rewards that are null":           {`null`, ""},
		"a dimension that is text":        {`{"safe":"yes"}`, ""},
		"details that are no JSON":        {`{}`, `{`},
		"an entry of the details is text": {`{}`, `{"safe":"x"}`},
		"criteria that are no list":       {`{}`, `{"safe":{"criteria":7}}`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, files[0], files[1])
			var fe *reward.FileError
			if err := reward.Add(dir, d); !errors.As(err, &fe) {
				t.Fatalf("got %v", err)
			}
			got, err := os.ReadFile(filepath.Join(dir, reward.RewardsName))
			if err != nil || string(got) != files[0] {
				t.Errorf("the rewards are now %q (%v)", got, err)
			}
		})
	}
	t.Run("a link is not followed", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Symlink("/etc/hostname", filepath.Join(dir, reward.RewardsName)); err != nil {
			t.Fatal(err)
		}
		if err := reward.Add(dir, d); err == nil {
			t.Error("no error")
		}
	})
}

func TestNamesAreTheVerifiers(t *testing.T) {
	if reward.RewardsName != verifier.RewardJSONName || reward.DetailsName != verifier.DetailsName {
		t.Error("the files have other names than the verifier reads")
	}
}

func put(t *testing.T, dir, rewards, details string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{reward.RewardsName: rewards, reward.DetailsName: details} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func compact(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(out)
	return b.String()
}
