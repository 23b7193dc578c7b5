package bundle

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// save puts the images into the bundle. Their archive's size is not known before, so that it goes through a file.
func (w *writer) save(ctx context.Context, from Saver) error {
	rc, err := from.Save(ctx, w.manifest.Images)
	if err != nil {
		return fmt.Errorf("bundle: save the images: %w", err)
	}
	defer rc.Close()
	tmp, err := os.CreateTemp("", "seatrial-images-")
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	defer func() {
		_ = tmp.Close()
		_ = os.Remove(tmp.Name())
	}()
	size, err := io.Copy(tmp, rc)
	if err == nil {
		_, err = tmp.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("bundle: save the images: %w", err)
	}
	return w.entry(imagesName, 0o644, size, tmp, false)
}

// maxIndex bounds the texts of an image archive that are read whole, in bytes.
const maxIndex = 16 << 20

// nameless copies an archive of images and takes all names out of it: a stranger's archive must not become what the engine calls busybox.
func nameless(r io.Reader, w io.Writer) error {
	in, out := tar.NewReader(r), tar.NewWriter(w)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out.Close() //nolint:wrapcheck // wrapped by the caller
		}
		if err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
		var change func([]byte) ([]byte, error)
		switch strings.TrimPrefix(strings.TrimPrefix(h.Name, "./"), "/") {
		case "repositories":
			continue
		case "manifest.json":
			change = withoutTags
		case "index.json":
			change = withoutAnnotations
		}
		var body io.Reader = in
		if change != nil {
			data, err := io.ReadAll(io.LimitReader(in, maxIndex+1))
			if err == nil && len(data) > maxIndex {
				err = errors.New("too large")
			}
			if err == nil {
				data, err = change(data)
			}
			if err != nil {
				return fmt.Errorf("%s of the images: %w", h.Name, err)
			}
			h.Size, body = int64(len(data)), strings.NewReader(string(data))
		}
		if err := out.WriteHeader(h); err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
		if _, err := io.Copy(out, body); err != nil {
			return err //nolint:wrapcheck // wrapped by the caller
		}
	}
}

// withoutTags takes the names out of a manifest.json (moby, image/tarexport).
func withoutTags(data []byte) ([]byte, error) {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err //nolint:wrapcheck // wrapped by the caller
	}
	for _, m := range list {
		for k := range m {
			if strings.EqualFold(k, "RepoTags") {
				m[k] = json.RawMessage("null")
			}
		}
	}
	return json.Marshal(list) //nolint:wrapcheck // wrapped by the caller
}

// withoutAnnotations takes them out of the index of an OCI layout, since that is where names are.
func withoutAnnotations(data []byte) ([]byte, error) {
	var index map[string]json.RawMessage
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, err //nolint:wrapcheck // wrapped by the caller
	}
	var manifests []map[string]json.RawMessage
	for k, v := range index {
		switch {
		case strings.EqualFold(k, "annotations"):
			delete(index, k)
		case strings.EqualFold(k, "manifests"):
			if err := json.Unmarshal(v, &manifests); err != nil {
				return nil, err //nolint:wrapcheck // wrapped by the caller
			}
			for _, m := range manifests {
				for key := range m {
					if strings.EqualFold(key, "annotations") {
						delete(m, key)
					}
				}
			}
			text, err := json.Marshal(manifests)
			if err != nil {
				return nil, err //nolint:wrapcheck // wrapped by the caller
			}
			index[k] = text
		}
	}
	return json.Marshal(index) //nolint:wrapcheck // wrapped by the caller
}
