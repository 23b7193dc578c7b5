package sidecar

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/seatrial/seatrial/sidecar/fakes/python"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// ToolsDir is where a container finds the program itself, and the Python module for fakes' evidence, when its stack asks for them.
const ToolsDir = "/.seatrial-tools"

// toolsVolume is the name of the volume with the program, before its digest.
const toolsVolume = "seatrial-tools-"

// NoProgramError says that this program cannot run inside the engine's containers.
type NoProgramError struct{ Why string }

func (e *NoProgramError) Error() string {
	return "this seatrial cannot run inside the engine's containers: " + e.Why + "; use a statically linked Linux build for the engine's processor (`make build` there)"
}

// OwnProgram is this program's executable and a digest of its content, if it can run inside containers of an engine of that architecture: a static Linux
// executable.
func OwnProgram(arch string) (path, digest string, err error) {
	if runtime.GOOS != "linux" {
		return "", "", &NoProgramError{Why: "it is built for " + runtime.GOOS}
	}
	if runtime.GOARCH != arch {
		return "", "", &NoProgramError{Why: fmt.Sprintf("it is built for %s and the engine is %s", runtime.GOARCH, arch)}
	}
	exe, err := os.Executable()
	if err != nil {
		return "", "", fmt.Errorf("find this program's executable: %w", err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		return "", "", fmt.Errorf("read this program's executable: %w", err)
	}
	defer f.Close()
	if libs, err := f.ImportedLibraries(); err == nil && len(libs) > 0 {
		return "", "", &NoProgramError{Why: "it is linked with " + libs[0]}
	}
	digest, err = buildDigest(f, exe)
	return exe, digest, err
}

// buildDigest names an executable by the id that Go's linker gives to its content, which is read at once; else by its bytes.
func buildDigest(f *elf.File, exe string) (string, error) {
	const header = 16 // the note's own, see elf(5)
	h := sha256.New()
	if note := f.Section(".note.go.buildid"); note != nil {
		if id, err := note.Data(); err == nil && len(id) > header+32 {
			_, _ = h.Write(id[header:]) // a hash takes everything
			return hex.EncodeToString(h.Sum(nil)), nil
		}
	}
	file, err := os.Open(exe)
	if err != nil {
		return "", fmt.Errorf("read this program's executable: %w", err)
	}
	defer file.Close()
	if _, err := io.Copy(h, file); err != nil {
		return "", fmt.Errorf("read this program's executable: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// toolsShelf is the volume that holds this program.
func toolsShelf(arch string) (shelf, error) {
	exe, digest, err := OwnProgram(arch)
	if err != nil {
		return shelf{}, err
	}
	return shelf{volume: toolsVolume + digest[:digestDigits], dir: ToolsDir, kind: "tools", content: func() ([]shelfFile, error) {
		data, err := os.ReadFile(exe)
		if err != nil {
			return nil, fmt.Errorf("read this program's executable: %w", err)
		}
		return []shelfFile{{"seatrial", data}, {"seatrial_fakes.py", python.Module}}, nil
	}}, nil
}

// Tools sees that the agent's container has the program in ToolsDir, for stacks that ask for it.
func (s *Stack) Tools(ctx context.Context) error {
	info, err := s.eng.Ping(ctx)
	if err != nil {
		return err
	}
	sh, err := toolsShelf(info.Arch)
	if err != nil {
		return err
	}
	return s.eng.fill(ctx, s.ID(stack.Main), sh)
}
