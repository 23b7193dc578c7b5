// Package view shows a run in the browser of the machine that it lies on.
package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seatrial/seatrial/internal/regular"
)

// Page writes the page of a run as it is now.
type Page func(w io.Writer) error

// Serve answers on 127.0.0.1, at the given port or at any that is free if it is 0, until ctx ends. It calls told with the page's address when it listens. Only
// this machine reaches it, and it changes nothing.
func Serve(ctx context.Context, folder string, page Page, port int, told func(address string)) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("open the run's folder: %w", err)
	}
	defer root.Close()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s := &http.Server{Handler: Handler(root, page, l.Addr().String()), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // nothing is lost by an answer that is cut
	defer stop()
	told("http://" + l.Addr().String() + "/")
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Handler answers GET and HEAD for the page at / and for regular files below root at their paths, all of them as text. It refuses requests that name another
// host than address or its port on localhost, so that no other site can have its visitors read a run by giving its own name this machine's address.
func Handler(root *os.Root, page Page, address string) http.Handler {
	h := &handler{root: root, page: page, hosts: []string{address}}
	if _, port, err := net.SplitHostPort(address); err == nil {
		h.hosts = append(h.hosts, net.JoinHostPort("localhost", port))
	}
	return h
}

type handler struct {
	root  *os.Root
	page  Page
	hosts []string
	one   sync.Mutex // making a page takes memory, so that one is made at a time
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	switch {
	case !h.own(r.Host):
		http.Error(w, "this host is not served here", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		h.show(w)
	default:
		h.file(w, r)
	}
}

func (h *handler) own(host string) bool {
	for _, ours := range h.hosts {
		if strings.EqualFold(host, ours) {
			return true
		}
	}
	return false
}

func (h *handler) show(w http.ResponseWriter) {
	h.one.Lock()
	defer h.one.Unlock()
	var b bytes.Buffer
	if err := h.page(&b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = w.Write(b.Bytes()) // whoever asked may be gone
}

func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	f, err := regular.Open(h.root, strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil {
		http.Error(w, "there is no such file in the run's folder", http.StatusNotFound)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, "", time.Time{}, f)
}
