package selection_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator/selection"
)

func some() []selection.Candidate {
	return []selection.Candidate{
		{Names: []string{"hello-a", "org/greet", "greet", "case-1"}, Key: "org/greet", Tags: []string{"fast"}},
		{Names: []string{"hello-b"}, Key: "hello-b", Tags: []string{"fast", "slow"}},
		{Names: []string{"bye"}, Key: "bye"},
		{Names: []string{"odd[name"}, Key: "odd[name", Tags: []string{"slow"}},
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name string
		sel  selection.Selection
		want []int
	}{
		{"nothing asked for is everything", selection.Selection{}, []int{0, 1, 2, 3}},
		{"a pattern on the folder's name", selection.Selection{Tasks: []string{"hello-*"}}, []int{0, 1}},
		{"a pattern on the task's name", selection.Selection{Tasks: []string{"org/*"}}, []int{0}},
		{"a pattern does not go across slashes", selection.Selection{Tasks: []string{"*greet"}}, []int{0}},
		{"a short name", selection.Selection{Tasks: []string{"greet"}}, []int{0}},
		{"the id of a case", selection.Selection{Tasks: []string{"case-?"}}, []int{0}},
		{"several patterns keep the order of the tasks", selection.Selection{Tasks: []string{"bye", "hello-[ab]"}}, []int{0, 1, 2}},
		{"excluded by any of its names", selection.Selection{Exclude: []string{"case-1", "bye"}}, []int{1, 3}},
		{"an exclusion that matches nothing is no fault", selection.Selection{Exclude: []string{"none"}}, []int{0, 1, 2, 3}},
		{"any of the tags", selection.Selection{Tags: []string{"slow", "other"}}, []int{1, 3}},
		{"none of the tags", selection.Selection{ExcludeTags: []string{"slow"}}, []int{0, 2}},
		{"one tag and not another", selection.Selection{Tags: []string{"fast"}, ExcludeTags: []string{"slow"}}, []int{0}},
		{"the limit comes after the filters", selection.Selection{Tags: []string{"slow"}, Limit: 1}, []int{1}},
		{"a limit beyond the end", selection.Selection{Limit: 9}, []int{0, 1, 2, 3}},
		{"a name with a bracket, excluded by a pattern", selection.Selection{Exclude: []string{"odd?name"}}, []int{0, 1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := selection.Choose(some(), &c.sel)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChooseNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		sel  selection.Selection
		want string
	}{
		{"a misspelt name", selection.Selection{Tasks: []string{"helo-a"}}, `--task "helo-a" matches none of the 4 tasks; did you mean "hello-a"?`},
		{"a misspelt pattern", selection.Selection{Tasks: []string{"helo-*"}}, `--task "helo-*" matches none of the 4 tasks; did you mean "hello-a"?`},
		{"one of two patterns matches nothing", selection.Selection{Tasks: []string{"bye", "nothing-like-it"}}, `--task "nothing-like-it" matches none of the 4 tasks`},
		{"all excluded", selection.Selection{Exclude: []string{"*", "org/x"}}, `--exclude "*" --exclude "org/x" leaves none of the 4 tasks`},
		{"a misspelt tag", selection.Selection{Tags: []string{"fats"}}, `--tag "fats" leaves none of the 4 tasks; did you mean "fast"?`},
		{"a tag that is not there", selection.Selection{Tags: []string{"gpu"}}, `--tag "gpu" leaves none of the 4 tasks; the tags are "fast", "slow"`},
		{"the second filter takes the rest", selection.Selection{Tasks: []string{"bye"}, Tags: []string{"fast"}},
			`--tag "fast" leaves none: there were 4 tasks, and the filters before it left 1; the tags are "fast", "slow"`},
		{"a bad pattern", selection.Selection{Tasks: []string{"a["}}, `"a[" is no pattern: a [ has no ], or a \ nothing after it`},
		{"an empty pattern", selection.Selection{Exclude: []string{""}}, `"" is no pattern: it is empty`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := selection.Choose(some(), &c.sel)
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestShardsAreAllTasksEachOnce(t *testing.T) {
	var all []selection.Candidate
	for i := range 200 {
		all = append(all, selection.Candidate{Names: []string{fmt.Sprint("t", i)}, Key: fmt.Sprint("t", i)})
	}
	where := map[int]int{}
	for n := 1; n <= 4; n++ {
		s := &selection.Selection{Shard: &selection.Shard{Index: n, Count: 4}}
		got, err := selection.Choose(all, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range got {
			if other, twice := where[i]; twice {
				t.Errorf("task %d is in shards %d and %d", i, other, n)
			}
			where[i] = n
		}
		fewer, err := selection.Choose(all[1:], s)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range fewer {
			if !slices.Contains(got, i+1) {
				t.Errorf("task %d moved when another went", i+1)
			}
		}
	}
	if len(where) != len(all) {
		t.Errorf("%d of %d tasks are in a shard", len(where), len(all))
	}
	// What a hash says must stay what it is: other machines and later versions share the work by it.
	for name, want := range map[string]int{"hello-a": 5, "hello-b": 4, "org/greet": 3} {
		for n := 1; n <= 7; n++ {
			if s := (selection.Shard{Index: n, Count: 7}); s.Has(name) != (n == want) {
				t.Errorf("%s in %s: %v, want it in %d", name, s, s.Has(name), want)
			}
		}
	}
}

func TestAnEmptyShard(t *testing.T) {
	one := []selection.Candidate{{Names: []string{"a"}, Key: "a"}}
	empty := 0
	for n := 1; n <= 3; n++ {
		_, err := selection.Choose(one, &selection.Selection{Shard: &selection.Shard{Index: n, Count: 3}})
		var e *selection.EmptyError
		if errors.As(err, &e) {
			empty++
			if want := fmt.Sprintf("--shard %d/3 leaves none of the 1 task; use fewer shards", n); e.Error() != want {
				t.Errorf("%q, want %q", e, want)
			}
		}
	}
	if empty != 2 {
		t.Errorf("%d empty shards, want 2", empty)
	}
}

func TestParseShard(t *testing.T) {
	for _, text := range []string{"1/1", "2/4", "10000/10000"} {
		if s, err := selection.ParseShard(text); err != nil || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "/", "1", "1/", "/2", "0/2", "3/2", "1/0", "-1/2", "+1/2", "1/2/3", "a/b", "1.0/2", " 1/2", "1/10001", "1/99999999999999999999"} {
		if s, err := selection.ParseShard(text); err == nil || !strings.Contains(err.Error(), "want I/N") {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

func FuzzParseShard(f *testing.F) {
	for _, s := range []string{"1/4", "0/0", "1//2", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selection.ParseShard(text)
		if err != nil {
			return
		}
		if s.Index < 1 || s.Index > s.Count || s.Count > selection.MaxShards {
			t.Fatalf("%q became %v", text, s)
		}
		if again, err := selection.ParseShard(s.String()); err != nil || *again != *s {
			t.Fatalf("%q became %v, %v", s, again, err)
		}
	})
}

func FuzzChoose(f *testing.F) {
	f.Add("a*", "a[", "tag", 3)
	f.Add("[", "\\", "", 0)
	f.Fuzz(func(t *testing.T, pattern, exclude, tag string, limit int) {
		s := &selection.Selection{Tasks: []string{pattern}, Exclude: []string{exclude}, Tags: []string{tag}, Limit: limit}
		got, err := selection.Choose(some(), s)
		if (err == nil) != (len(got) > 0) {
			t.Fatalf("%v, %v", got, err)
		}
		if !slices.IsSorted(got) || limit > 0 && len(got) > limit {
			t.Fatalf("%v with limit %d", got, limit)
		}
	})
}
