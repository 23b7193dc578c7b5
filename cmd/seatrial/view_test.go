package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator/report/sample"
)

func TestViewShowsARunAsItIsNowUntilItIsEnded(t *testing.T) {
	dir := t.TempDir()
	if _, err := sample.Write(dir, sample.Options{Cases: 2}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"view", dir}, streams{in: strings.NewReader(""), out: w, err: io.Discard}, os.LookupEnv)
		w.Close()
	}()
	address, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) string {
		resp, err := http.Get(strings.TrimSpace(address) + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	if page := ask(""); !strings.Contains(page, "case-00001") || strings.Contains(page, "case-00002") {
		t.Errorf("the page is not that of two cases: %.200s", page)
	}
	if _, err := sample.Write(dir, sample.Options{Cases: 3}); err != nil {
		t.Fatal(err)
	}
	if page := ask(""); !strings.Contains(page, "case-00002") {
		t.Error("the page does not show the case that came to be")
	}
	if text := ask("trials/case-00000-0/agent/stdout.log"); !strings.Contains(text, "reading the order") {
		t.Errorf("the log is %.100q", text)
	}
	cancel()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("exit code %d", got)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}
