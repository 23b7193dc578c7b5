// Command seatrial-bench-fakes measures the fakes on this machine: 10,000 calls from 50 clients at once over loopback, MCP and
// plain HTTP, none of which may be lost or journaled out of order; then the latency of calls at a rate that does not
// saturate the machine, since behind a queue one measures the queue.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
)

//go:embed testdata
var declarations embed.FS

const (
	clients    = 50
	calls      = 10_000
	pacedCalls = 3_000
	pacedRate  = 500 // calls a second
	maxGrowth  = 32 << 20
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil { //nolint:forbidigo // contexts come from here
		fmt.Fprintln(os.Stderr, "bench-fakes:", err)
		os.Exit(1) //nolint:forbidigo // and here it ends
	}
}

func run(ctx context.Context, out io.Writer) error {
	dir, err := unpack()
	if err != nil {
		return fmt.Errorf("unpacking the declarations: %w", err)
	}
	defer os.RemoveAll(dir)
	now, err := server.ParseNow(server.DefaultNow)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	evidenceDir := filepath.Join(dir, "out")
	s, err := server.Start(ctx, server.Config{Manifests: filepath.Join(dir, "fakes"), Scenario: "open", Seed: 7, Now: now, Out: evidenceDir, Listen: "127.0.0.1:0"}, nil, nil)
	if err != nil {
		return err
	}
	var serving sync.WaitGroup
	var served error
	serving.Go(func() { served = s.Serve(ctx) })
	load := newLoad("http://" + s.Addr().String())
	if _, err := load.run(ctx, calls/10, 0); err != nil { // warm up: connections, pages of the heap
		return err
	}
	before := heap()
	start := time.Now()
	saturated, err := load.run(ctx, calls, 0)
	if err != nil {
		return err
	}
	rate := calls / time.Since(start).Seconds()
	growth := int64(heap()) - int64(before)
	paced, err := load.run(ctx, pacedCalls, pacedRate)
	if err != nil {
		return err
	}
	stop()
	serving.Wait()
	if served != nil {
		return served
	}
	lost, err := audit(evidenceDir, load)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d calls from %d clients as fast as they come: %.0f a second, p50 %.1f ms, p99 %.1f ms\n", calls, clients, rate, percentile(saturated, 50), percentile(saturated, 99))
	fmt.Fprintf(out, "%d calls at %d a second: p50 %.2f ms, p99 %.2f ms\n", pacedCalls, pacedRate, percentile(paced, 50), percentile(paced, 99))
	fmt.Fprintf(out, "heap after %d calls: %+.1f MiB\n", calls, float64(growth)/(1<<20))
	fmt.Fprintf(out, "calls_per_s=%.0f p99_ms=%.1f lost=%d\n", rate, percentile(paced, 99), lost)
	if lost > 0 || growth > maxGrowth {
		return fmt.Errorf("%d calls lost, heap grown by %d bytes", lost, growth)
	}
	return nil
}

// unpack puts the declarations into a new folder.
func unpack() (string, error) {
	dir, err := os.MkdirTemp("", "bench-fakes-")
	if err != nil {
		return "", err //nolint:wrapcheck // the caller says what for
	}
	sub, err := fs.Sub(declarations, "testdata")
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "fakes"), sub)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// percentile is in milliseconds.
func percentile(d []time.Duration, p int) float64 {
	slices.Sort(d)
	return float64(d[min(len(d)*p/100, len(d)-1)].Microseconds()) / 1000
}
