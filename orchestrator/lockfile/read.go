package lockfile

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MaxBytes is the most that a lock.json may have.
const MaxBytes = 16 << 20

// Decode reads the text of a lock.json. Its error is what is wrong with it, in few words.
func Decode(data []byte) (*Lock, error) {
	var l Lock
	if len(data) == 0 {
		return nil, errors.New("it is empty")
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("it is cut, or does not fit its schema: %w", err)
	}
	switch {
	case l.Format != Format:
		return nil, fmt.Errorf("it is not a lock of ours (format %q)", l.Format)
	case l.SchemaVersion > SchemaVersion:
		return nil, fmt.Errorf("it is of schema version %d, and this seatrial knows up to %d: upgrade seatrial", l.SchemaVersion, SchemaVersion)
	case l.SchemaVersion < 1:
		return nil, fmt.Errorf("it is of schema version %d, which never was", l.SchemaVersion)
	}
	return &l, nil
}
