package verifier

import (
	"fmt"
	"strings"
)

// Files is what was found in the verifier's folder. A nil file is one that was not there.
type Files struct {
	RewardJSON *File
	RewardTXT  *File
	Details    *File
	Contract   *File
	// Listing names all that was found, for messages.
	Listing []string
}

// File is one file of the verifier's folder.
type File struct {
	Data []byte
	// Size is the file's size in bytes; Data may hold less when the file is over its limit.
	Size int64
	// Problem is empty for a regular file, else what was found in its place ("link", "device", "fifo", "directory"),
	// "too_large", or another short reason for which Data is not the file's content.
	Problem string
}

// Options say how rewards are judged.
type Options struct {
	// Contract is the version that task.toml declares, nil when it declares none.
	Contract *int
	// ContractFrom says who declares Contract, for messages; empty: task.toml does.
	ContractFrom string
	// Harbor takes any flat object of finite numbers as it is, for tasks that were not written to the contract.
	Harbor bool
	// Case names the case in messages; it may be empty.
	Case string
	// Mask hides secrets in a text; nil hides nothing. It is applied to all text that comes from the files.
	Mask func(string) string
}

// text is s, which comes from a file, as it may be shown: masked, valid UTF-8, and at most limit bytes before a mark.
// Masking comes first, since a cut could leave half a secret.
func (o Options) text(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if o.Mask != nil {
		s = strings.ToValidUTF8(o.Mask(s), "\uFFFD")
	}
	return clip(s, limit)
}

// declares says who declares Contract.
func (o Options) declares() string {
	if o.ContractFrom != "" {
		return o.ContractFrom
	}
	return ContractMetadata + " in task.toml"
}

// message puts the case's name before a text.
func (o Options) message(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if o.Case == "" {
		return text
	}
	return fmt.Sprintf("case %q: %s", o.Case, text)
}

// problem says why f cannot be read, or is empty. The limit is in bytes.
func (f *File) problem(limit int) (rule, text string) {
	size := max(f.Size, int64(len(f.Data)))
	switch {
	case f.Problem == "too_large" || f.Problem == "" && size > int64(limit):
		return RuleSize, fmt.Sprintf("is larger than %d bytes", limit)
	case f.Problem != "":
		return RuleFile, fmt.Sprintf("is not a regular file (found: %s)", f.Problem)
	case int64(len(f.Data)) < f.Size:
		return RuleFile, fmt.Sprintf("could be read only in part (%d of %d bytes)", len(f.Data), f.Size)
	}
	return "", ""
}

// clip cuts s to limit bytes, at a character, and marks the cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + " [cut]"
}
