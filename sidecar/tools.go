package sidecar

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
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

// OwnProgram is the path of this program's executable, if it can run inside containers of an engine of that architecture: a static Linux executable.
func OwnProgram(arch string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", &NoProgramError{Why: "it is built for " + runtime.GOOS}
	}
	if runtime.GOARCH != arch {
		return "", &NoProgramError{Why: fmt.Sprintf("it is built for %s and the engine is %s", runtime.GOARCH, arch)}
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program's executable: %w", err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		return "", fmt.Errorf("read this program's executable: %w", err)
	}
	defer f.Close()
	if libs, err := f.ImportedLibraries(); err == nil && len(libs) > 0 {
		return "", &NoProgramError{Why: "it is linked with " + libs[0]}
	}
	return exe, nil
}

// toolsShelf is the volume that holds this program.
func (e *Engine) toolsShelf(arch string) (shelf, error) {
	e.tools.Lock()
	defer e.tools.Unlock()
	exe, err := OwnProgram(arch)
	if err != nil {
		return shelf{}, err
	}
	files := func() ([]shelfFile, error) {
		data, err := os.ReadFile(exe)
		if err != nil {
			return nil, fmt.Errorf("read this program's executable: %w", err)
		}
		return []shelfFile{{"seatrial", data}, {"seatrial_fakes.py", python.Module}}, nil
	}
	if e.toolsDigest == "" {
		list, err := files()
		if err != nil {
			return shelf{}, err
		}
		sum := sha256.New()
		for _, f := range list {
			_, _ = sum.Write(f.data) // a hash takes everything
		}
		e.toolsDigest = hex.EncodeToString(sum.Sum(nil))[:digestDigits]
	}
	return shelf{volume: toolsVolume + e.toolsDigest, dir: ToolsDir, kind: "tools", content: files}, nil
}

// Tools sees that the agent's container has the program in ToolsDir, for stacks that ask for it.
func (s *Stack) Tools(ctx context.Context) error {
	info, err := s.eng.Ping(ctx)
	if err != nil {
		return err
	}
	sh, err := s.eng.toolsShelf(info.Arch)
	if err != nil {
		return err
	}
	return s.eng.fill(ctx, s.ID(stack.Main), sh)
}
