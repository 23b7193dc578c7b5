package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	t.Parallel()
	behave(t, []behaviour{
		{
			name: "characters of several bytes are kept byte for byte",
			task: `
-- tests/test.sh --
#!/bin/sh
printf x
yes 'äöü€😀' | head -c 1000001 | tee /logs/artifacts/copy
echo '{"reward": 1}' >/logs/verifier/reward.json
`,
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				if got, want := r.text(t, "verifier", "test-stdout.txt"), "x"+r.text(t, "artifacts", "copy"); got != want || len(want) != 1000002 {
					t.Errorf("%d bytes were printed, and other %d are kept", len(want), len(got))
				}
			},
		},
		{
			name: "output without end is cut in the middle and counted, and changes nothing",
			task: `
-- tests/test.sh --
#!/bin/sh
echo '{"reward": 1}' >/logs/verifier/reward.json
echo first
head -c 300000000 /dev/zero
echo
echo last
`,
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				s := r.trial(t).Verifier.Stdout
				st, err := os.Stat(filepath.Join(r.trialDir(t), s.Path))
				if err != nil || st.Size() > 6<<20 || s.Bytes < 300000000 || s.Cut < 290000000 {
					t.Errorf("%v: size %d, recorded %+v", err, st.Size(), s)
				}
				log := r.text(t, s.Path)
				if !strings.HasPrefix(log, "first\n") || !strings.HasSuffix(log, "\nlast\n") || !strings.Contains(log, "bytes left out") {
					t.Error("head, mark or tail is missing")
				}
			},
		},
		{
			name: "the two streams are kept apart, each line as it was printed",
			task: `
-- tests/test.sh --
#!/bin/sh
line=$(head -c 300 /dev/zero | tr '\0' =)
for i in $(seq 500); do echo "out $i $line"; echo "err $i $line" >&2; done
echo '{"reward": 1}' >/logs/verifier/reward.json
`,
			want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				for name, word := range map[string]string{"test-stdout.txt": "out", "test-stderr.txt": "err"} {
					var want strings.Builder
					for i := range 500 {
						want.WriteString(word + " " + sprint(i+1) + " " + strings.Repeat("=", 300) + "\n")
					}
					if got := r.text(t, "verifier", name); got != want.String() {
						t.Errorf("%s: digest %s, want %s", name, digest(got), digest(want.String()))
					}
				}
			},
		},
		{
			name: "control characters of a container do not reach the terminal",
			task: "-- tests/test.sh --\n#!/bin/sh\nprintf '\\033[2Jwiped\\007\\n'\nexit 1\n",
			want: outcome{code: "reward_missing", phase: "verifier", says: []string{"wiped"}},
			check: func(t *testing.T, r *ran) {
				if strings.ContainsAny(r.stderr, "\x1b\x07") {
					t.Errorf("the console got %q", r.stderr)
				}
			},
		},
	})
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}
