//go:build !seatrial_shim

package shim

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

//go:generate ./build.sh

// The helper itself is built with the tag seatrial_shim, so that no helper ever depends on an older one.
//
//go:embed bin
var built embed.FS

// NotBuiltError says that this binary was built without a helper for an architecture.
type NotBuiltError struct {
	// Arch is the wanted architecture in Go's spelling.
	Arch string
	// Have lists the architectures that there are helpers for.
	Have []string
}

// Error says what is missing and how to get it.
func (e *NotBuiltError) Error() string {
	have := "none"
	if len(e.Have) > 0 {
		have = strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("this seatrial carries no container helper for linux/%s (it has: %s); run `make build` and use that binary", e.Arch, have)
}

// Binary returns the static Linux executable for an architecture: "amd64" or "arm64", or the engine's own spelling
// "x86_64" or "aarch64". A missing one gives a *NotBuiltError.
func Binary(arch string) ([]byte, error) {
	arch = goArch(arch)
	b, err := built.ReadFile(builtPrefix + arch)
	if err != nil {
		return nil, &NotBuiltError{Arch: arch, Have: builtFor()}
	}
	return b, nil
}

// Digest returns the hex SHA-256 of Binary, which can name the volume that holds it.
func Digest(arch string) (string, error) {
	b, err := Binary(arch)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

const builtPrefix = "bin/shim-linux-"

func goArch(arch string) string {
	switch arch {
	case "x86_64", "x86-64":
		return "amd64"
	case "aarch64", "arm64/v8":
		return "arm64"
	default:
		return arch
	}
}

func builtFor() []string {
	entries, err := built.ReadDir("bin")
	if err != nil {
		return nil
	}
	var archs []string
	for _, e := range entries {
		if arch, ok := strings.CutPrefix("bin/"+e.Name(), builtPrefix); ok {
			archs = append(archs, arch)
		}
	}
	slices.Sort(archs)
	return archs
}
