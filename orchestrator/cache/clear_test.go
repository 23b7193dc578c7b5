package cache_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/internal/lock"
	"github.com/seatrial/seatrial/orchestrator/cache"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/task/checkout"
)

// fakeEngine has images and build cache. Layers of a removed image whose keys begin with b stay as build cache, as BuildKit has it.
type fakeEngine struct {
	images []sidecar.StoredImage
	builds []sidecar.StoredBuild
	busy   string // the tag of an image of which somebody makes a container in the last moment
	stuck  string // and of one that cannot be removed
	prunes []int64
	looks  int
}

func (f *fakeEngine) StoredImages(context.Context) ([]sidecar.StoredImage, error) {
	f.looks++
	return slices.Clone(f.images), nil
}

func (f *fakeEngine) StoredBuilds(context.Context) ([]sidecar.StoredBuild, error) {
	return slices.Clone(f.builds), nil
}

func (f *fakeEngine) RemoveImage(_ context.Context, tags []string) (bool, error) {
	switch tags[0] {
	case f.busy:
		return true, nil
	case f.stuck:
		return false, errors.New("device or resource busy")
	}
	i := slices.IndexFunc(f.images, func(s sidecar.StoredImage) bool { return s.Tags[0] == tags[0] })
	for _, l := range f.images[i].Layers {
		if l.Key[0] == 'b' {
			f.builds = append(f.builds, sidecar.StoredBuild{ID: l.Key, Bytes: l.Bytes, Used: day(1)})
		}
	}
	f.images = slices.Delete(f.images, i, i+1)
	return false, nil
}

func (f *fakeEngine) PruneBuilds(_ context.Context, keep int64) (freed int64, err error) {
	f.prunes = append(f.prunes, keep)
	slices.SortFunc(f.builds, func(a, b sidecar.StoredBuild) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.ID, b.ID)) })
	sum := int64(0)
	for _, b := range f.builds {
		sum += b.Bytes
	}
	for len(f.builds) > 0 && sum > keep {
		sum, freed, f.builds = sum-f.builds[0].Bytes, freed+f.builds[0].Bytes, f.builds[1:]
	}
	return freed, nil
}

// made adds an image as it is made here.
func (f *fakeEngine) made(name string, created int, ls ...string) *fakeEngine {
	digest := strings.Repeat(name, 16)
	f.images = append(f.images, sidecar.StoredImage{ID: name, Tags: []string{images.Tag(name, digest)}, Created: day(created), Layers: layers(ls...),
		Labels: map[string]string{images.CacheLabel: "image", images.DigestLabel: digest}})
	return f
}

// left are the images that are there.
func (f *fakeEngine) left() string {
	var ids []string
	for _, i := range f.images {
		ids = append(ids, i.ID)
	}
	return strings.Join(ids, " ")
}

// fakeCheckouts are commits by their folders.
type fakeCheckouts struct{ kept []checkout.Kept }

func (f *fakeCheckouts) List() ([]checkout.Kept, error) { return slices.Clone(f.kept), nil }

func (f *fakeCheckouts) Remove(k checkout.Kept) (bool, error) {
	f.kept = slices.DeleteFunc(f.kept, func(o checkout.Kept) bool { return o.Dir == k.Dir })
	return false, nil
}

func clearOut(t *testing.T, e *fakeEngine, c *fakeCheckouts, keep int64) (told []string, sizes cache.Sizes, err error) {
	t.Helper()
	sizes, err = cache.Clear(t.Context(), e, c, keep, func(i cache.Item) { told = append(told, i.String()) })
	return told, sizes, err
}

func TestClearKeepsWithinTheBudget(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	e := new(fakeEngine).made("a", 1, "b100", "x10").made("b", 2, "b100", "y10").made("c", 3, "z50")
	e.images = append(e.images, sidecar.StoredImage{ID: "other", Tags: []string{"mine:latest"}, Created: day(1), Layers: layers("o500")})
	c := &fakeCheckouts{[]checkout.Kept{{Dir: "/c/1", Bytes: 30, Used: day(1)}}}
	items, left, err := cache.Preview(t.Context(), e, c, 60)
	if err != nil || len(items) != 3 || left != (cache.Sizes{Images: 50}) || len(e.images) != 4 || len(c.kept) != 1 {
		t.Errorf("a preview: %v %v %v", items, left, err)
	}
	told, sizes, err := clearOut(t, e, c, 60)
	if err != nil || sizes.Sum() > 60 || e.left() != "c other" || len(c.kept) != 0 {
		t.Errorf("%v: %+v, images %s", err, sizes, e.left())
	}
	// What the engine kept of a and b was build cache only afterwards.
	if len(e.prunes) != 1 || len(told) != 4 || told[3] != "build cache of the engine" {
		t.Errorf("told %q, pruned %v", told, e.prunes)
	}
}

func TestClearWithoutABudgetLeavesWhatIsInUse(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	e := new(fakeEngine).made("a", 1, "x10").made("b", 2, "y10").made("c", 3, "z50").made("d", 4, "w10")
	e.images[1].InUse = true
	done, err := lock.Use(t.Context(), "image", strings.Repeat("c", 16))
	if err != nil {
		t.Fatal(err)
	}
	e.builds = []sidecar.StoredBuild{{ID: "1", Bytes: 5, Used: day(9)}}
	_, sizes, err := clearOut(t, e, &fakeCheckouts{}, 0)
	if err != nil || e.left() != "b c" || sizes != (cache.Sizes{Images: 60}) || !slices.Equal(e.prunes, []int64{0}) {
		t.Errorf("%v: %+v, images %s, prunes %v", err, sizes, e.left(), e.prunes)
	}
	done()
	if _, _, err := clearOut(t, e, &fakeCheckouts{}, 0); err != nil || e.left() != "b" {
		t.Errorf("%v: images %s", err, e.left())
	}
}

func TestClearByLastUse(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	e := new(fakeEngine).made("a", 1, "x10").made("b", 2, "y10")
	done, err := lock.Use(t.Context(), "image", strings.Repeat("a", 16)) // it is older, and was used later
	if err != nil {
		t.Fatal(err)
	}
	done()
	if told, _, err := clearOut(t, e, &fakeCheckouts{}, 10); err != nil || e.left() != "a" || len(told) != 1 {
		t.Errorf("%v: images %s, told %q", err, e.left(), told)
	}
}

func TestClearPassesOverWhatCannotGo(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	e := new(fakeEngine).made("a", 1, "x10").made("b", 2, "y10").made("c", 3, "z10")
	e.busy = e.images[0].Tags[0]
	told, sizes, err := clearOut(t, e, &fakeCheckouts{}, 20)
	if err != nil || e.left() != "a c" || sizes.Sum() != 20 || len(told) != 1 {
		t.Errorf("%v: images %s, %+v, told %q", err, e.left(), sizes, told)
	}
	e = new(fakeEngine).made("a", 1, "x10").made("b", 2, "y10")
	e.stuck = e.images[0].Tags[0]
	told, _, err = clearOut(t, e, &fakeCheckouts{}, 10)
	var leak *sidecar.LeakError
	if !errors.As(err, &leak) || len(leak.Left) != 1 || !strings.Contains(leak.Left[0], "seatrial/a") || e.left() != "a" || len(told) != 1 {
		t.Errorf("%v: images %s, told %q", err, e.left(), told)
	}
}

func TestClearEndsWithItsContext(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	e := new(fakeEngine).made("a", 1, "x10").made("b", 2, "y10")
	reason := errors.New("called off")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := cache.Clear(ctx, e, &fakeCheckouts{}, 0, func(cache.Item) { cancel(reason) })
	if !errors.Is(err, reason) || e.left() != "b" {
		t.Errorf("%v: images %s", err, e.left())
	}
}
