package main

import (
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/selection"
	"github.com/seatrial/seatrial/task/dataset"
)

// selectionFlags are the flags that choose some of the tasks; run, check and list share them.
type selectionFlags struct {
	tasks, exclude, tags, excludeTags []string
	shard                             string
	limit                             int
	datasets                          []string
	registry                          string
	offline                           bool
	set                               *pflag.FlagSet
}

func (f *selectionFlags) add(s *pflag.FlagSet) {
	f.set = s
	s.StringArrayVar(&f.tasks, "task", nil, "only tasks whose folder, name, short name or case matches `PATTERN` (repeatable: any of them)")
	s.StringArrayVar(&f.exclude, "exclude", nil, "no task whose folder, name, short name or case matches `PATTERN` (repeatable)")
	s.StringArrayVar(&f.tags, "tag", nil, "only tasks with `TAG` among their tags or keywords (repeatable: any of them)")
	s.StringArrayVar(&f.excludeTags, "exclude-tag", nil, "no task with `TAG` among its tags or keywords (repeatable)")
	s.StringVar(&f.shard, "shard", "", "only the `I/N` part of the tasks; the parts are all tasks, each once, and no task changes its part when others come or go")
	s.StringArrayVar(&f.datasets, "dataset", nil, "the tasks that `FILE` lists, as if it were a path; with --registry, the dataset NAME or NAME@VERSION (repeatable)")
	s.StringVar(&f.registry, "registry", "", "a registry.json in Harbor's form, which --dataset names datasets of")
	s.BoolVar(&f.offline, "offline", false, "take repositories that datasets name from the cache alone")
	s.IntVar(&f.limit, "limit", 0, "only the first `N` of the tasks that the other flags leave")
}

// apply checks the flags, puts them into options, and returns all paths: those that were given, and the files with tasks.
func (f *selectionFlags) apply(a *app, c *cobra.Command, args []string, o *orchestrator.Options) ([]string, error) {
	var err error
	if o.Selection, err = f.selection(); err != nil {
		return nil, err
	}
	o.Offline, o.Notice, o.Lookup = f.offline, a.notice(), a.lookup
	paths, err := f.paths(args, &o.Selection)
	if err == nil && len(paths) == 0 {
		err = usage("%s wants the path of a task, or of a folder of tasks, or --dataset", c.CommandPath())
	}
	return paths, err
}

// paths adds the files of the flags to the paths.
func (f *selectionFlags) paths(args []string, s *selection.Selection) ([]string, error) {
	if f.set.Changed("registry") {
		if !dataset.IsFile(f.registry) {
			return nil, usage("--registry %s: there is no such file in JSON", f.registry)
		}
		s.Datasets = f.datasets
		return append(slices.Clone(args), f.registry), nil
	}
	for _, file := range f.datasets {
		if !dataset.IsFile(file) {
			return nil, usage("--dataset %s: there is no such file in TOML or JSON; the name of a dataset goes with --registry", file)
		}
	}
	return slices.Concat(args, f.datasets), nil
}

// notice tells on standard error what takes a while.
func (a *app) notice() func(string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(a.err, "seatrial: %s\n", text)
	}
}

// selection checks the flags and turns them into a selection.
func (f *selectionFlags) selection() (selection.Selection, error) {
	s := selection.Selection{Tasks: f.tasks, Exclude: f.exclude, Tags: f.tags, ExcludeTags: f.excludeTags, Limit: f.limit}
	for _, one := range []struct {
		flag   string
		values []string
		check  func(string) error
	}{
		{"--task", f.tasks, selection.CheckPattern}, {"--exclude", f.exclude, selection.CheckPattern},
		{"--tag", f.tags, selection.CheckTag}, {"--exclude-tag", f.excludeTags, selection.CheckTag},
	} {
		for _, v := range one.values {
			if err := one.check(v); err != nil {
				return s, &orchestrator.UsageError{Cause: fmt.Errorf("%s: %w", one.flag, err)}
			}
		}
	}
	if f.set.Changed("limit") && f.limit < 1 {
		return s, usage("--limit %d: want 1 or more", f.limit)
	}
	if f.set.Changed("shard") {
		shard, err := selection.ParseShard(f.shard)
		if err != nil {
			return s, &orchestrator.UsageError{Cause: fmt.Errorf("--shard: %w", err)}
		}
		s.Shard = shard
	}
	return s, nil
}
