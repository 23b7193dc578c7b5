package room_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seatrial/seatrial/orchestrator/room"
)

// enter asks for room beside the test, and tells when it has it.
func enter(t *testing.T, h *room.Hall, n room.Need) <-chan func() {
	t.Helper()
	got := make(chan func(), 1)
	go func() {
		leave, err := h.Enter(t.Context(), n)
		if err == nil {
			got <- leave
		}
	}()
	synctest.Wait()
	return got
}

func admitted(c <-chan func()) bool { return len(c) == 1 }

func TestPlacesAreHandedOutInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := room.New(room.Room{Places: 2})
		a, b, c, d := enter(t, h, room.Need{}), enter(t, h, room.Need{}), enter(t, h, room.Need{}), enter(t, h, room.Need{})
		if !admitted(a) || !admitted(b) || admitted(c) || admitted(d) {
			t.Fatal("not the first two")
		}
		leave := <-b
		leave()
		leave() // twice is once
		synctest.Wait()
		if !admitted(c) || admitted(d) {
			t.Error("not the third")
		}
		(<-a)()
		(<-c)()
		synctest.Wait()
		if !admitted(d) {
			t.Error("not the fourth")
		}
	})
}

func TestALargeOneIsOvertakenAndDoesNotStarve(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := room.New(room.Room{Places: 2, CPUs: 4})
		small := []<-chan func(){enter(t, h, room.Need{CPUs: 1})}
		large := enter(t, h, room.Need{CPUs: 4})
		if admitted(large) {
			t.Fatal("there was no room")
		}
		overtook := 0
		for range 20 {
			s := enter(t, h, room.Need{CPUs: 1})
			if !admitted(s) {
				break
			}
			overtook++
			(<-small[len(small)-1])()
			small = append(small, s)
			synctest.Wait()
		}
		if overtook == 0 || overtook == 20 {
			t.Errorf("overtaken %d times", overtook)
		}
		(<-small[len(small)-1])()
		synctest.Wait()
		if !admitted(large) {
			t.Error("it starves")
		}
	})
}

func TestWhatNeverFitsIsAdmittedAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := room.New(room.Room{Places: 4, CPUs: 2, Memory: 100})
		huge := enter(t, h, room.Need{CPUs: 64, Memory: 1 << 40})
		other := enter(t, h, room.Need{CPUs: 0.5, Memory: 1})
		if !admitted(huge) || admitted(other) {
			t.Error("not alone")
		}
		(<-huge)()
		synctest.Wait()
		if !admitted(other) {
			t.Error("the room was not given back")
		}
	})
}

func TestWhoGivesUpLeavesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := room.New(room.Room{Places: 1})
		first := enter(t, h, room.Need{})
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := h.Enter(ctx, room.Need{})
			failed <- err
		}()
		synctest.Wait()
		third := enter(t, h, room.Need{})
		cancel(cause)
		if err := <-failed; !errors.Is(err, cause) {
			t.Error(err)
		}
		(<-first)()
		synctest.Wait()
		if !admitted(third) {
			t.Error("the place was lost")
		}
	})
}

// Whatever comes and goes, there is never more in the hall than fits, and everybody gets in.
func TestNeverMoreThanFits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := room.New(room.Room{Places: 5, CPUs: 4, Memory: 1000})
		var places, milli, memory, in atomic.Int64
		r := rand.New(rand.NewPCG(1, 2))
		var all sync.WaitGroup
		for range 500 {
			n := room.Need{CPUs: float64(r.IntN(40)) / 10, Memory: int64(r.IntN(900))}
			late, stay := time.Duration(r.IntN(1000))*time.Millisecond, time.Duration(r.IntN(50))*time.Millisecond
			all.Go(func() {
				time.Sleep(late)
				leave, err := h.Enter(t.Context(), n)
				if err != nil {
					t.Error(err)
					return
				}
				if places.Add(1) > 5 || milli.Add(int64(n.CPUs*1000)) > 4000 || memory.Add(n.Memory) > 1000 {
					t.Error("more than fits")
				}
				time.Sleep(stay)
				places.Add(-1)
				milli.Add(-int64(n.CPUs * 1000))
				memory.Add(-n.Memory)
				in.Add(1)
				leave()
			})
		}
		all.Wait()
		if in.Load() != 500 {
			t.Errorf("%d got in", in.Load())
		}
	})
}
