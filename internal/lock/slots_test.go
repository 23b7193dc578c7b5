package lock_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
)

// The variables that make this program one of several that share slots.
const (
	ofN      = "LOCK_TEST_SLOTS"   // how many there are
	takers   = "LOCK_TEST_TAKERS"  // how many goroutines take them
	journey  = "LOCK_TEST_JOURNAL" // the file that hears of each taking; without it one slot is taken and kept
	oftenEnv = "LOCK_TEST_OFTEN"   // how often each takes one
)

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(ofN)); err == nil {
		if err := sharer(lock.NewSlots(n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// sharer is such a program.
func sharer(s *lock.Slots) error {
	ctx := context.Background()
	count, _ := strconv.Atoi(os.Getenv(takers))
	if os.Getenv(journey) == "" {
		for range count {
			if _, err := s.Take(ctx, nil); err != nil {
				return err
			}
		}
		fmt.Println("taken")
		_, _ = bufio.NewReader(os.Stdin).ReadByte() // until it is killed
		return nil
	}
	journal, err := os.OpenFile(os.Getenv(journey), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	often, _ := strconv.Atoi(os.Getenv(oftenEnv))
	errs := make(chan error, count*often)
	var all sync.WaitGroup
	for range count {
		all.Go(func() {
			for range often {
				release, err := s.Take(ctx, nil)
				if err != nil {
					errs <- err
					return
				}
				fmt.Fprintf(journal, "%d +\n", os.Getpid())
				time.Sleep(5 * time.Millisecond)
				fmt.Fprintf(journal, "%d -\n", os.Getpid())
				release()
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

// other starts this program once more.
func other(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Env, c.Stderr = append(os.Environ(), env...), os.Stderr
	return c
}

func TestProcessesTogetherNeverHaveMoreThanThereAre(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	journal := t.TempDir() + "/journal"
	if err := os.WriteFile(journal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const n, each, often = 3, 4, 10
	var two []*exec.Cmd
	for range 2 {
		c := other(t, ofN+"="+strconv.Itoa(n), takers+"="+strconv.Itoa(each), oftenEnv+"="+strconv.Itoa(often), journey+"="+journal)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		two = append(two, c)
	}
	for _, c := range two {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	held, most, taken, changes, last := 0, 0, map[string]int{}, 0, ""
	for line := range strings.Lines(string(data)) {
		pid, act, _ := strings.Cut(strings.TrimSpace(line), " ")
		if act == "-" {
			held--
			continue
		}
		held++
		most = max(most, held)
		taken[pid]++
		if last != pid {
			changes, last = changes+1, pid
		}
	}
	if most > n || held != 0 {
		t.Errorf("%d at a time, and %d at the end", most, held)
	}
	if len(taken) != 2 {
		t.Errorf("taken: %v", taken)
	}
	for pid, k := range taken {
		if k != each*often {
			t.Errorf("process %s took %d", pid, k)
		}
	}
	if changes < 10 { // neither keeps the other out while both want some
		t.Errorf("the processes took turns %d times\n%s", changes, data)
	}
}

func TestAKilledProcessGivesItsSlotsBack(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c := other(t, ofN+"=3", takers+"=3")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "taken\n" {
		t.Fatalf("%q %v", line, err)
	}
	s := lock.NewSlots(3)
	killed := false
	release, err := s.Take(t.Context(), func() {
		killed = true
		if err := c.Process.Kill(); err != nil {
			t.Error(err)
		}
	})
	if err != nil || !killed {
		t.Fatalf("%v, and it had to wait: %v", err, killed)
	}
	_ = c.Wait() // it was killed
	release()
	release() // twice is once
}

func TestSlots(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s, more := lock.NewSlots(1), lock.NewSlots(2)
	first, err := s.Take(t.Context(), func() { t.Error("it waited for a free one") })
	if err != nil {
		t.Fatal(err)
	}
	second, err := more.Take(t.Context(), nil) // the place that only the larger number has
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("called off")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := more.Take(ctx, func() { cancel(reason) }); !errors.Is(err, reason) {
		t.Errorf("waiting ended with %v, want the reason of the cancel", err)
	}
	// One that waits in the queue of its own process ends at once as well.
	waiting := make(chan struct{})
	front, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.Take(front, func() { close(waiting) })
		ended <- err
	}()
	<-waiting
	if _, err := s.Take(ctx, nil); !errors.Is(err, reason) {
		t.Errorf("behind another one it ended with %v", err)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	first()
	first()
	second()
	if again, err := lock.NewSlots(1).Take(t.Context(), func() { t.Error("it was not given back") }); err != nil {
		t.Error(err)
	} else {
		again()
	}
}
