package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/orchestrator"
)

// asked are the paths of the tasks to run. The folder of a run to go on with becomes absolute.
func (a *app) asked(c *cobra.Command, resume *string, runID string, rerunChanged bool, args []string) (paths []string, err error) {
	switch {
	case *resume == "" && rerunChanged:
		return nil, usage("--rerun-changed goes with --resume")
	case *resume == "":
		return args, nil
	case runID != "":
		return nil, usage("--run-id is for a new run, and --resume goes on with one")
	}
	*resume, paths, err = a.resumed(c, *resume, args)
	return paths, err
}

// resumed is the absolute path of the run to go on with, and the paths of its tasks: those given, else those that it was begun with.
func (a *app) resumed(c *cobra.Command, run string, args []string) (folder string, paths []string, err error) {
	if folder, err = filepath.Abs(run); err != nil {
		return "", nil, usage("--resume: %v", err)
	}
	if len(args) > 0 {
		return folder, args, nil
	}
	paths, err = a.again(c, folder)
	return folder, paths, err
}

// again gives the command the flags and paths with which a run was begun, under those that are given now. Variables whose values are not in the record have to be
// given again.
func (a *app) again(c *cobra.Command, run string) (paths []string, err error) {
	rec, _, err := orchestrator.Rebuild(run)
	if err != nil {
		return nil, err
	}
	if len(rec.Spec.Args) == 0 {
		return nil, usage("%s does not say how it was begun; give the paths and flags again", run)
	}
	if rec.Spec.Directory != "" {
		if err := os.Chdir(rec.Spec.Directory); err != nil {
			return nil, usage("the folder in which run %s was begun: %v", run, err)
		}
	}
	args, hidden := open(rec.Spec.Args)
	now := given(c.Flags())
	old := pflag.NewFlagSet("run", pflag.ContinueOnError)
	c.Flags().VisitAll(func(f *pflag.Flag) { old.AddFlag(f) })
	if err := old.Parse(args); err != nil {
		return nil, usage("the flags with which run %s was begun: %v", run, err)
	}
	for _, f := range now { // what is given now counts more
		if err := c.Flags().Set(f[0], f[1]); err != nil {
			return nil, usage("--%s: %v", f[0], err)
		}
	}
	for _, h := range hidden {
		if !slices.ContainsFunc(now, func(f [2]string) bool { return f[0] == h[0] && (f[1] == h[1] || strings.HasPrefix(f[1], h[1]+"=")) }) {
			return nil, usage("--%s %s: its value is not recorded; give it again beside --resume", h[0], h[1])
		}
	}
	return slices.DeleteFunc(old.Args(), func(s string) bool { return s == "run" }), nil
}

// open takes the variables out of recorded arguments whose values were not recorded, and lists their flags and names.
func open(recorded []string) (args []string, hidden [][2]string) {
	flags := []string{"agent-env", "verifier-env", "compose-env"}
	for i := 0; i < len(recorded); i++ {
		arg := recorded[i]
		name, value, one := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if !strings.HasPrefix(arg, "--") || !slices.Contains(flags, name) {
			args = append(args, arg)
			continue
		}
		if !one && i+1 < len(recorded) {
			i++
			value = recorded[i]
		}
		if v, masked := strings.CutSuffix(value, "=[masked]"); masked {
			hidden = append(hidden, [2]string{name, v})
			continue
		}
		args = append(args, fmt.Sprintf("--%s=%s", name, value))
	}
	return args, hidden
}

// given are the flags of the command line with their values, those of lists one by one.
func given(s *pflag.FlagSet) [][2]string {
	var all [][2]string
	s.Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				all = append(all, [2]string{f.Name, v})
			}
			return
		}
		all = append(all, [2]string{f.Name, f.Value.String()})
	})
	return all
}
