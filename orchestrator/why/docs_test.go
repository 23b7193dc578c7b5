package why_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/why"
)

func TestThePageListsEveryCodeInItsOrder(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/why.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, listed []string
	for _, k := range why.Kinds() {
		var sides []string
		for _, s := range k.Sides {
			sides = append(sides, string(s))
		}
		kind := "fact"
		if k.Cause {
			kind = "cause"
		}
		if slices.Contains(k.Sides, why.None) {
			kind = "verdict"
		}
		want = append(want, k.Code+" "+kind+" "+strings.Join(sides, ", "))
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (verdict|cause|fact) \\| ([a-z, ]+) \\| .+ \\|$").FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, m[1]+" "+m[2]+" "+m[3])
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("-code +page:\n%s", diff)
	}
}

func TestEveryCodeIsThereOnceAndEveryErrorHasOne(t *testing.T) {
	t.Parallel()
	all := map[string]bool{}
	for _, k := range why.Kinds() {
		if all[k.Code] || len(k.Sides) == 0 {
			t.Errorf("%+v", k)
		}
		all[k.Code] = true
	}
	for _, code := range orchestrator.ErrorCodes() {
		if !all[code] && code != orchestrator.CodeTeardownLeak { // never an error's
			t.Errorf("an error %s is not explained", code)
		}
	}
}

// kindsOf holds findings against the catalogue.
func kindsOf(t *testing.T, all []why.Finding) {
	t.Helper()
	for _, f := range all {
		i := slices.IndexFunc(why.Kinds(), func(k why.Kind) bool { return k.Code == f.Code })
		if i < 0 {
			t.Errorf("%s is not in the catalogue", f.Code)
			continue
		}
		if k := why.Kinds()[i]; !slices.Contains(k.Sides, f.Side) || f.Cause && !k.Cause {
			t.Errorf("%+v is not as the catalogue has it: %+v", f, k)
		}
	}
}

func TestEveryConstantIsUsed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, f := range files {
		if f == "kinds.go" || strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	kinds, err := os.ReadFile("kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t([A-Z][A-Za-z]+) += "`).FindAllStringSubmatch(string(kinds), -1) {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(code.String()) {
			t.Errorf("nothing finds %s", m[1])
		}
	}
}
