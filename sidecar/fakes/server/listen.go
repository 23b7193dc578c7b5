package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// shutdownLimit is how long answers that are under way may take when the server ends.
const shutdownLimit = 2 * time.Second

// serve serves h on ln until ctx ends; before is called then, while the last answers are still being written.
func serve(ctx context.Context, log *slog.Logger, ln net.Listener, h http.Handler, before func() error) error {
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() { failed <- srv.Serve(ln) })
	defer wg.Wait()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("serving on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	err = errors.Join(err, before())
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
	defer cancel()
	if srv.Shutdown(last) != nil {
		_ = srv.Close() // an answer that is delayed on purpose, or a stream without end
	}
	return err
}
