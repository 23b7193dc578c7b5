// Package harbor writes what a run came to in the form of Harbor's jobs, so that tools that read Harbor's results can read ours. See docs/harbor-results.md.
package harbor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/seatrial/seatrial/internal/regular"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/task"
)

const (
	mostRecord = 64 << 20 // bytes of a trial.json
	mostTask   = 1 << 30  // bytes of a task's folder
)

// Write makes result.json and config.json for each trial of a run, in the trial's folder, and for the job, in the folder of the trials, which it returns. The trials' records
// are read one after the other and let go of again; those that cannot be used are listed. zone is that of times that Harbor writes without one. Files of an earlier
// call are replaced, each as a whole, and those of trials that count no more removed. No link of the run's folder is followed.
func Write(folder string, run *orchestrator.RunRecord, zone *time.Location) (string, []orchestrator.Unread, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", nil, fmt.Errorf("results for Harbor: %w", err)
	}
	at := filepath.Join(abs, "trials")
	if st, err := os.Lstat(at); err != nil || !st.IsDir() {
		return "", nil, fmt.Errorf("results for Harbor: %s is not a folder", at)
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return "", nil, fmt.Errorf("results for Harbor: %w", err)
	}
	defer root.Close()
	w := &writer{job: job{run: run, id: uuid(run.RunID), folder: filepath.ToSlash(at)}, root: root, zone: zone, sums: map[string]string{}, made: map[string]bool{}, tally: newTally()}
	w.config = w.jobConfig()
	for _, c := range report.Trials(run.Cases) {
		if err := w.trial(c); err != nil {
			return "", nil, err
		}
	}
	if err := w.stale(); err != nil {
		return "", nil, err
	}
	return at, w.unread, w.whole()
}

// writer is a job's folder while its files are made.
type writer struct {
	job
	root   *os.Root
	zone   *time.Location
	config *JobConfig
	tally  *tally
	sums   map[string]string // of tasks, by their paths
	made   map[string]bool   // folders of trials
	unread []orchestrator.Unread
}

// trial makes the files of one trial. A case that never came to a trial has none.
func (w *writer) trial(c *orchestrator.Case) error {
	name, ok := strings.CutPrefix(c.Artifacts.Trial, "trials/")
	if !ok || name == "" || name != path.Base(name) || !filepath.IsLocal(name) || w.made[name] {
		return nil
	}
	t, err := w.read(name)
	if err != nil {
		w.unread = append(w.unread, orchestrator.Unread{Path: filepath.Join(w.folder, name, "trial.json"), Reason: err.Error()})
		return nil
	}
	r := w.trialResult(name, t, w.noted(&t.Case.Task), w.zone)
	if err := w.put(path.Join(name, "config.json"), &r.Config); err != nil {
		return err
	}
	if err := w.put(path.Join(name, "result.json"), r); err != nil {
		return err
	}
	w.made[name] = true
	w.tally.add(r, len(t.Case.Tries))
	return nil
}

func (w *writer) read(name string) (*orchestrator.TrialRecord, error) {
	f, err := regular.Open(w.root, path.Join(name, "trial.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := regular.ReadFrom(f, mostRecord)
	if err != nil {
		return nil, err
	}
	t, err := orchestrator.DecodeTrial(data)
	if err == nil && t.Synthetic {
		err = errors.New("it is of a check of the task's tests, and no result")
	}
	return t, err
}

// noted is a task's checksum, and adds the task to the job's when it is the first time: Harbor's while its files are still those that were run, and otherwise our own.
func (w *writer) noted(t *orchestrator.TaskRef) string {
	key := t.Path + "\x00" + t.Checksum
	if sum, ok := w.sums[key]; ok {
		return sum
	}
	w.config.Tasks = append(w.config.Tasks, w.taskConfig(t))
	sum, err := task.DirHash(t.Path, mostTask)
	if err == nil {
		var now string
		if now, err = task.Digest(t.Path); err == nil && now != t.Checksum {
			err = errors.New("it has changed")
		}
	}
	if err != nil {
		sum = strings.TrimPrefix(t.Checksum, "sha256:")
	}
	w.sums[key] = sum
	return sum
}

// stale removes the files of trials that do not count: tries that were followed by another, and what an earlier state of the run had.
func (w *writer) stale() error {
	list, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("results for Harbor: %w", err)
	}
	for _, e := range list {
		if !e.IsDir() || w.made[e.Name()] {
			continue
		}
		for _, file := range []string{"result.json", "config.json"} {
			if err := w.root.Remove(path.Join(e.Name(), file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("results for Harbor: %w", err)
			}
		}
	}
	return nil
}

// whole makes the job's own files.
func (w *writer) whole() error {
	planned := w.run.Summary.Planned
	if t := w.run.Summary.Trials; t != nil {
		planned = t.Planned
	}
	r := &JobResult{ID: w.id, StartedAt: local(w.run.StartedAt, w.zone)}
	r.Stats, r.Total = w.tally.done(planned)
	if at := w.run.FinishedAt; at != nil {
		end := local(*at, w.zone)
		r.UpdatedAt, r.FinishedAt = &end, &end
	}
	return errors.Join(w.put("config.json", w.config), w.put("result.json", r))
}
