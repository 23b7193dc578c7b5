// Command seatrial-bench measures what a trial costs beyond the engine calls that it cannot do without. It alternates the bare calls (the
// floor) with `seatrial run` of the hello task, process start included, and prints the medians and their ratio. With -batch it measures a
// run of many trials against the bare calls of as many at the same concurrency; with -repro, what keeping end states and grading them again costs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	rounds := flag.Int("n", 15, "how many times each is measured")
	more := flag.Int("more", 7, "how many times each thing that a task may ask for is measured; 0 leaves them out")
	binary := flag.String("seatrial", "bin/seatrial", "the program to measure")
	task := flag.String("task", "testdata/tasks/hello", "the task to run")
	b := &batch{}
	flag.IntVar(&b.trials, "batch", 0, "measure a batch of so many trials instead")
	flag.IntVar(&b.tasks, "batch-tasks", 20, "how many tasks, each with an image of its own, the batch has")
	flag.IntVar(&b.parallel, "batch-n", 8, "how many trials of the batch are under way at a time")
	again := &repro{}
	flag.IntVar(&again.trials, "repro", 0, "measure the keeping of end states, and the grading of so many of them, instead")
	flag.Parse()
	if again.binary = *binary; again.trials > 0 {
		again.rounds = *more
		if err := again.measure(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "seatrial-bench:", err)
			os.Exit(1)
		}
		return
	}
	if b.binary = *binary; b.trials > 0 {
		if err := b.measure(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "seatrial-bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := bench(context.Background(), *binary, *task, *rounds, *more); err != nil {
		fmt.Fprintln(os.Stderr, "seatrial-bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, binary, task string, rounds, more int) error {
	f, err := newFloor(ctx)
	if err != nil {
		return err
	}
	defer f.close(ctx)
	s := &subject{binary: binary, task: task, dir: f.dir}
	if err := s.warm(ctx); err != nil {
		return err
	}
	f.image = s.image
	var floors, trials []float64
	for range rounds {
		d, err := f.once(ctx)
		if err != nil {
			return fmt.Errorf("the floor: %w", err)
		}
		floors = append(floors, d)
		if d, err = s.once(ctx); err != nil {
			return fmt.Errorf("seatrial: %w", err)
		}
		trials = append(trials, d)
	}
	list, err := variants(s)
	if err != nil {
		return err
	}
	calls, peak := s.calls, s.peakMB
	if more > 0 {
		if err := measure(ctx, s, list, more); err != nil {
			return err
		}
	}
	fl, tr := median(floors), median(trials)
	fmt.Printf("engine            %s\n", f.version)
	fmt.Printf("floor             %.3f s  (create, start, put, exec, put, exec, get, remove on a bridge without traffic between containers; median of %d)\n", fl, rounds)
	fmt.Printf("floor, default    %.3f s  (the same on the engine's default bridge)\n", f.plain)
	fmt.Printf("seatrial run      %.3f s  (process start to exit; median of %d)\n", tr, rounds)
	for _, v := range list {
		if more > 0 {
			fmt.Printf("%s ", v)
		}
	}
	if more > 0 {
		beside, err := f.beside(ctx, more)
		if err != nil {
			return err
		}
		fmt.Printf("floor_beside_s=%.2f", beside)
		fmt.Printf(" (seconds more than a trial without it, process start to exit, medians of %d; the last is the bare create, start and remove of a second container and a network for both)\n", more)
	}
	fmt.Printf("hello_ratio=%.2f engine_calls=%d peak_mb=%.0f\n", tr/fl, calls, peak)
	return nil
}
