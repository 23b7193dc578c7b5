package selection

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// MaxShards is the largest number of shards.
const MaxShards = 10_000

// Shard is one of Count parts of all tasks; Index counts from 1.
type Shard struct{ Index, Count int }

// ShardError says why a text is no shard.
type ShardError struct{ Text, Reason string }

// Error says what is wanted instead.
func (e *ShardError) Error() string {
	return fmt.Sprintf("%q %s: want I/N with I from 1 to N, such as 1/4, and N at most %d", e.Text, e.Reason, MaxShards)
}

// ParseShard reads a shard of the form I/N. The error is a *ShardError.
func ParseShard(text string) (*Shard, error) {
	left, right, ok := strings.Cut(text, "/")
	if !ok {
		return nil, &ShardError{text, "has no /"}
	}
	s := &Shard{}
	for _, part := range []struct {
		text string
		into *int
	}{{left, &s.Index}, {right, &s.Count}} {
		n, err := strconv.Atoi(part.text)
		if err != nil || part.text[0] < '0' || part.text[0] > '9' {
			return nil, &ShardError{text, "is not two whole numbers"}
		}
		*part.into = n
	}
	switch {
	case s.Index < 1, s.Count < 1:
		return nil, &ShardError{text, "counts from 1"}
	case s.Index > s.Count:
		return nil, &ShardError{text, "is past the last shard"}
	case s.Count > MaxShards:
		return nil, &ShardError{text, "has too many shards"}
	}
	return s, nil
}

// String is the form that ParseShard reads.
func (s Shard) String() string { return strconv.Itoa(s.Index) + "/" + strconv.Itoa(s.Count) }

// MarshalText writes the form that ParseShard reads.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the form that ParseShard reads.
func (s *Shard) UnmarshalText(text []byte) error {
	read, err := ParseShard(string(text))
	if err != nil {
		return err
	}
	*s = *read
	return nil
}

// Has says whether a task is in the shard: when the first eight bytes of the SHA-256 of its key, as a big-endian number, leave Index-1 when divided by Count.
func (s Shard) Has(key string) bool {
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:8])%uint64(s.Count) == uint64(s.Index-1)
}
