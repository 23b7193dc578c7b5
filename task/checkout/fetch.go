package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// fetch gets a commit over http into a store: alone where the server gives single commits, else with the history of all branches and tags.
func fetch(ctx context.Context, st *filesystem.Storage, url, commit, dir string) error {
	ep, err := transport.NewEndpoint(url)
	if err != nil {
		return fmt.Errorf("the address: %w", err)
	}
	session, err := githttp.NewClient(client()).NewUploadPackSession(ep, nil)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer session.Close()
	refs, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return asked(err)
	}
	req, err := request(refs, plumbing.NewHash(commit))
	if err != nil {
		return err
	}
	resp, err := session.UploadPack(ctx, req)
	if err != nil {
		return asked(err)
	}
	defer resp.Close()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	pack := filepath.Join(dir, "fetched")
	if err := save(demultiplexed(req.Capabilities, resp), pack); err != nil {
		return err
	}
	return unpack(st, pack)
}

// request asks for one commit.
func request(refs *packp.AdvRefs, commit plumbing.Hash) (*packp.UploadPackRequest, error) {
	req := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	tip := false
	for _, h := range refs.References {
		tip = tip || h == commit
	}
	if tip || refs.Capabilities.Supports(capability.AllowReachableSHA1InWant) || refs.Capabilities.Supports("allow-any-sha1-in-want") {
		req.Wants = []plumbing.Hash{commit}
		if refs.Capabilities.Supports(capability.Shallow) {
			if err := req.Capabilities.Set(capability.Shallow); err != nil {
				return nil, fmt.Errorf("asking: %w", err)
			}
			req.Depth = packp.DepthCommits(1)
		}
		return req, nil
	}
	seen := map[plumbing.Hash]bool{}
	for _, h := range refs.References {
		if !seen[h] {
			req.Wants = append(req.Wants, h)
		}
		seen[h] = true
	}
	if len(req.Wants) == 0 {
		return nil, errors.New("the repository is empty")
	}
	return req, nil
}

// client is an http client that waits for nothing without end, and reads no answer without end.
func client() *http.Client {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 30 * time.Second, ResponseHeaderTimeout: 2 * time.Minute, IdleConnTimeout: 10 * time.Second,
		ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 1 << 20}
	return &http.Client{Transport: bounded{t}}
}

// bounded bounds the answers of a transport.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = &body{resp.Body, maxPack}
	}
	return resp, err //nolint:wrapcheck // a transport's own error, which the client wraps
}

// body is an answer of which so many bytes may still be read.
type body struct {
	io.ReadCloser
	left int64
}

var errTooLarge = fmt.Errorf("the server sends more than %d MiB", maxPack>>20)

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err //nolint:wrapcheck // io.EOF must stay what it is
}

// asked puts the errors that people meet into words.
func asked(err error) error {
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return errors.New("the server wants a login, or has no such repository; clone it yourself and name the folder")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return errors.New("the server has no such repository")
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return errors.New("the repository is empty")
	}
	return fmt.Errorf("asking the server: %w", err)
}

func demultiplexed(caps *capability.List, r io.Reader) io.Reader {
	switch {
	case caps.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case caps.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}

func save(r io.Reader, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if _, err := io.Copy(f, r); err != nil {
		return fmt.Errorf("reading what the server sends: %w", errors.Join(err, f.Close()))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}

// unpack puts the objects of a saved pack into a store, when they are within the bounds.
func unpack(st *filesystem.Storage, path string) error {
	if err := measure(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	defer f.Close()
	if err := packfile.UpdateObjectStorage(st, f); err != nil {
		return fmt.Errorf("what the server sent: %w", err)
	}
	return nil
}
