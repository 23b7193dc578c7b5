package registrystub

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
)

// Media types of Docker's image manifest, version 2, schema 2.
const (
	manifestType = "application/vnd.docker.distribution.manifest.v2+json"
	configType   = "application/vnd.docker.container.image.v1+json"
	layerType    = "application/vnd.docker.image.rootfs.diff.tar"
)

// image is a manifest and what it points to.
type image struct {
	manifest []byte
	blobs    map[string][]byte // by digest
}

// makeImage makes an image of one file whose content no other image has.
func makeImage() (image, error) {
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	text := []byte(rand.Text() + "\n")
	err := w.WriteHeader(&tar.Header{Name: "made-by-a-test", Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return image{}, fmt.Errorf("write a layer: %w", err)
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": map[string]any{"Cmd": []string{"/none"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digestOf(layer.Bytes())}},
	})
	if err != nil {
		return image{}, fmt.Errorf("write an image's configuration: %w", err)
	}
	part := func(kind string, data []byte) map[string]any {
		return map[string]any{"mediaType": kind, "size": len(data), "digest": digestOf(data)}
	}
	manifest, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": manifestType,
		"config": part(configType, config), "layers": []any{part(layerType, layer.Bytes())}})
	if err != nil {
		return image{}, fmt.Errorf("write a manifest: %w", err)
	}
	return image{manifest: manifest, blobs: map[string][]byte{digestOf(config): config, digestOf(layer.Bytes()): layer.Bytes()}}, nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
