package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/verifier"
	"github.com/seatrial/seatrial/verifier/score"
)

// together is how large the log folders may be to be fetched in one go. Beyond it the verifier's comes first and alone, so that a
// flood of logs cannot stand in the verdict's way.
const together = 64 << 20

// logLimits bound what is kept of the log folders on the host.
func logLimits() archive.Limits {
	return archive.Limits{File: 64 << 20, Total: 512 << 20, Entries: 20_000, Stream: 1 << 30}
}

// rewardsFound is what the tests left.
type rewardsFound struct {
	tests testsRun
	files verifier.Files
	// scores is what a task's own evaluator left.
	scores *verifier.File
}

// fetchLogs brings the log folders, or one of them, to the trial's folder and keeps the reward files' bytes for judging. Where the folders are small, that is one call. Else
// the reward files come first and by name, so that no flood of other files stands in the verdict's way. Only what cannot be fetched of the reward
// files is an error.
func (s *site) fetchLogs(ctx context.Context, dir string) error {
	s.step.fetched, s.step.judged = true, true
	defer s.trajectory()
	var sum int64
	for _, s := range s.step.rewards.tests.sizes {
		sum += s.Bytes + 1024*s.Files
	}
	if len(s.step.rewards.tests.sizes) == len(logDirs()) && sum <= together {
		return s.fetch(ctx, dir)
	}
	for name, limit := range rewardFiles() {
		if err := s.fetchReward(ctx, name, limit); err != nil && !errdefs.IsNotFound(err) {
			return err
		}
	}
	if dir != "/logs" {
		s.fetchRest(ctx, dir)
		return nil
	}
	s.fetchRest(ctx, logDirs()...)
	return nil
}

func logDirs() []string { return []string{"/logs/verifier", "/logs/agent", "/logs/artifacts"} }

// fetchReward keeps the bytes of one file of the verifier's folder.
func (s *site) fetchReward(ctx context.Context, name string, limit int64) error {
	opt := archive.UnpackOptions{Capture: map[string]int64{name: limit}, Limits: archive.Limits{Stream: limit + 1<<20}}
	list, err := s.unpacked(ctx, "/logs/verifier/"+name, nil, opt)
	var full *archive.LimitError
	if got, ok := list.Captured[name]; ok {
		s.step.rewards.keep(name, got)
		if got.Broken && !errors.As(err, &full) {
			return fmt.Errorf("fetch %s: %w", name, err)
		}
		return nil
	}
	return err
}

// fetchRest brings what the agent left. What is missing of it decides nothing.
func (s *site) fetchRest(ctx context.Context, dirs ...string) {
	for _, dir := range dirs {
		if err := s.fetch(ctx, dir); err != nil && !errdefs.IsNotFound(err) {
			s.warn("logs_incomplete", err.Error())
		}
	}
}

// fetch unpacks one folder of the agent's container.
func (s *site) fetch(ctx context.Context, dir string) error {
	prefix := path.Base(dir)
	opt := archive.UnpackOptions{Limits: logLimits(), Mask: s.maskFile, Keep: s.dir.Streams(), Routes: map[string]string{}, Capture: map[string]int64{}}
	for _, folder := range []string{"agent", "artifacts", "verifier"} {
		switch prefix {
		case "logs":
			opt.Routes["logs/"+folder] = s.step.host(folder)
		case folder:
			opt.Routes[folder] = s.step.host(folder)
		}
	}
	base := "logs/verifier" // as the engine names the entries
	if prefix == "verifier" {
		base = "verifier"
	}
	for name, limit := range rewardFiles() {
		opt.Capture[base+"/"+name] = limit
	}
	list, err := s.unpacked(ctx, dir, s.dir.Root(), opt)
	s.collected(list, base)
	var full *archive.LimitError
	if errors.As(err, &full) {
		s.warn("logs_incomplete", fmt.Sprintf("%s: %v", dir, err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", dir, err)
	}
	return nil
}

// unpacked brings a file or folder of the agent's container to into. What the engine breaks off is asked for again, and the last try counts alone.
func (s *site) unpacked(ctx context.Context, from string, into *os.Root, opt archive.UnpackOptions) (list archive.Listing, err error) {
	err = sidecar.Again(ctx, s.again, func() error {
		rc, err := s.box.Fetch(ctx, stack.Main, from)
		if err != nil {
			return err
		}
		defer rc.Close()
		list, err = archive.Unpack(rc, into, opt)
		return err
	})
	return list, err
}

// rewardFiles are the files that are judged, and how many bytes of each are read: one more than the contract takes, so that too large a one shows.
func rewardFiles() map[string]int64 {
	return map[string]int64{
		verifier.RewardJSONName: verifier.MaxRewardBytes + 1, verifier.RewardTXTName: verifier.MaxRewardBytes + 1,
		verifier.DetailsName: verifier.MaxDetailsBytes + 1, verifier.ContractName: verifier.MaxContractBytes + 1, score.ScoresName: score.MaxScoresBytes + 1,
	}
}

// collected records what came and what did not.
func (t *trial) collected(list archive.Listing, base string) {
	t.counted(list)
	for _, e := range list.Entries {
		if rest, ok := strings.CutPrefix(e.Name, base+"/"); ok {
			t.step.rewards.files.Listing = append(t.step.rewards.files.Listing, rest)
		}
	}
	for name := range rewardFiles() {
		if got, ok := list.Captured[base+"/"+name]; ok {
			t.step.rewards.keep(name, got)
		}
	}
}

// keep notes a reward file for judging.
func (r *rewardsFound) keep(name string, got archive.Captured) { r.file(name, fileOf(got)) }

func (r *rewardsFound) file(name string, f *verifier.File) {
	switch name {
	case verifier.RewardJSONName:
		r.files.RewardJSON = f
	case verifier.RewardTXTName:
		r.files.RewardTXT = f
	case verifier.DetailsName:
		r.files.Details = f
	case verifier.ContractName:
		r.files.Contract = f
	case score.ScoresName:
		r.scores = f
	}
}

// counted adds up what was kept, and lists what was not.
func (t *trial) counted(list archive.Listing) {
	const most = 100
	c := &t.rec.Collected
	c.Files, c.Bytes = c.Files+list.Files, c.Bytes+list.Bytes
	for _, e := range list.Entries {
		if e.Problem != "" && e.Problem != archive.ProblemOutside && e.Problem != archive.ProblemSkipped && len(c.Skipped) < most {
			c.Skipped = append(c.Skipped, t.mask.String(fmt.Sprintf("%s (%s): %s", e.Name, e.Kind, e.Problem)))
		}
	}
	if list.Unlisted > 0 && !t.warned("logs_incomplete") {
		t.warn("logs_incomplete", fmt.Sprintf("%d files of the logs are more than are kept", list.Unlisted))
	}
	if list.Unlisted > 0 {
		c.Skipped = append(c.Skipped, fmt.Sprintf("%d more entries", list.Unlisted))
	}
}

func fileOf(c archive.Captured) *verifier.File {
	f := &verifier.File{Data: c.Data, Size: c.Size}
	switch {
	case c.Kind != archive.KindFile:
		f.Problem = c.Kind
		if c.Target != "" {
			f.Problem += " to " + c.Target
		}
	case c.Broken:
		f.Problem = "broken off while it was fetched"
	}
	return f
}

// salvage brings what can still be had of a trial that ended early: the agent's logs, and what the tests had written. It never judges.
func (t *trial) salvage(ctx context.Context) {
	if t.step == nil || t.step.facts.Agent == nil && t.step.facts.Verifier == nil {
		return
	}
	work := t.work.box != nil && t.work.box.ID(stack.Main) != "" && !t.step.fetched
	tests := t.work
	if t.step.apart != nil {
		tests = &t.step.apart.site
	}
	verifier := t.step.facts.Verifier != nil && tests.box != nil && !t.step.judged && (tests != t.work || work)
	if !work && !verifier {
		return
	}
	t.step.fetched = true
	took, err := in(context.WithoutCancel(ctx), t.salvageLimit(), func(ctx context.Context) error {
		if work {
			t.work.fetchRest(ctx, logDirs()[1:]...)
		}
		if verifier {
			return tests.fetch(ctx, logDirs()[0])
		}
		return nil
	})
	t.timing(PhaseCollect, took)
	if err != nil && !errdefs.IsNotFound(err) {
		t.warn("logs_incomplete", err.Error())
	}
	t.trajectory()
}

// salvageLimit is short for an interrupted trial: somebody waits.
func (t *trial) salvageLimit() Limit {
	l := t.limit(PhaseCollect)
	if t.rec.Case.Error != nil && t.rec.Case.Error.Code == CodeInterrupted {
		l.Value = min(l.Value, interruptedCollect)
	}
	return l
}

// maskFile hides secrets in what comes out of the container.
func (t *trial) maskFile(_ string, r io.Reader) io.Reader { return t.mask.Reader(r) }
