package checkout_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// entry is one of a tree, raw: nothing of it is checked.
type entry struct {
	mode, name, text string
	tree             []entry
}

func file(name, text string) entry { return entry{mode: "100644", name: name, text: text} }

func link(name, target string) entry { return entry{mode: "120000", name: name, text: target} }

func dir(name string, in ...entry) entry { return entry{mode: "40000", name: name, tree: in} }

// repo is a bare repository.
type repo struct {
	dir string
	st  *filesystem.Storage
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	d := filepath.Join(t.TempDir(), "repo.git")
	st := filesystem.NewStorage(osfs.New(d), cache.NewObjectLRUDefault())
	if err := st.Init(); err != nil {
		t.Fatal(err)
	}
	if err := st.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, "refs/heads/main")); err != nil {
		t.Fatal(err)
	}
	return &repo{d, st}
}

func (r *repo) put(t *testing.T, kind plumbing.ObjectType, data []byte) plumbing.Hash {
	t.Helper()
	o := r.st.NewEncodedObject()
	o.SetType(kind)
	w, err := o.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h, err := r.st.SetEncodedObject(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (r *repo) tree(t *testing.T, in []entry) plumbing.Hash {
	t.Helper()
	in = slices.Clone(in)
	key := func(e entry) string {
		if e.mode == "40000" {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortStableFunc(in, func(a, b entry) int { return strings.Compare(key(a), key(b)) })
	var b bytes.Buffer
	for _, e := range in {
		var h plumbing.Hash
		switch e.mode {
		case "40000":
			h = r.tree(t, e.tree)
		case "160000":
			h = plumbing.NewHash(strings.Repeat("ab", 20))
		default:
			h = r.put(t, plumbing.BlobObject, []byte(e.text))
		}
		fmt.Fprintf(&b, "%s %s\x00%s", e.mode, e.name, h[:])
	}
	return r.put(t, plumbing.TreeObject, b.Bytes())
}

// commit makes a commit, the tip of main, and returns its hash.
func (r *repo) commit(t *testing.T, in ...entry) string {
	t.Helper()
	parent := ""
	if ref, err := r.st.Reference("refs/heads/main"); err == nil {
		parent = "parent " + ref.Hash().String() + "\n"
	}
	who := "A <a@example.com> 1700000000 +0000"
	h := r.put(t, plumbing.CommitObject, fmt.Appendf(nil, "tree %s\n%sauthor %s\ncommitter %s\n\nx\n", r.tree(t, in), parent, who, who))
	if err := r.st.SetReference(plumbing.NewHashReference("refs/heads/main", h)); err != nil {
		t.Fatal(err)
	}
	return h.String()
}

// serve serves the repository over http on the loopback, as a server that gives no single commits.
func (r *repo) serve(t *testing.T) *httptest.Server {
	t.Helper()
	up := func() transport.UploadPackSession {
		s, err := server.NewServer(server.MapLoader{"x://y/z": r.st}).NewUploadPackSession(&transport.Endpoint{Protocol: "x", Host: "y", Path: "/z"}, nil)
		if err != nil {
			panic(err)
		}
		return s
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /repo.git/info/refs", func(w http.ResponseWriter, req *http.Request) {
		refs, err := up().AdvertisedReferencesContext(req.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		refs.Prefix = [][]byte{[]byte("# service=git-upload-pack"), {}}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_ = refs.Encode(w)
	})
	mux.HandleFunc("POST /repo.git/git-upload-pack", func(w http.ResponseWriter, req *http.Request) {
		r := packp.NewUploadPackRequest()
		err := r.Decode(req.Body)
		if err == nil {
			var resp *packp.UploadPackResponse
			if resp, err = up().UploadPack(req.Context(), r); err == nil {
				w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
				_ = resp.Encode(w)
				return
			}
		}
		http.Error(w, err.Error(), http.StatusInternalServerError)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}
