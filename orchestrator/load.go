package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
)

// LoadRun reads the record of a run that a folder holds, or that path itself is. It returns the folder too. Its error is a *UsageError.
func LoadRun(path string) (*RunRecord, string, error) {
	file := path
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		file = filepath.Join(path, "run.json")
	}
	var rec RunRecord
	if err := readRecord(file, RunFormat, &rec); err != nil {
		return nil, "", &UsageError{Cause: fmt.Errorf("%s is no run: %w", path, err)}
	}
	return &rec, filepath.Dir(file), nil
}
