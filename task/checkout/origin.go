package checkout

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Origin is where a commit is fetched from.
type Origin struct {
	// URL is an http or https address, or the absolute path of a repository of this machine.
	URL string
	// Local says that it is a path.
	Local bool
}

// OriginError says why a text is no origin.
type OriginError struct{ Text, Reason string }

// Error names the text, without a password that it may hold.
func (e *OriginError) Error() string {
	return fmt.Sprintf("repository %q: %s", hidden(e.Text), e.Reason)
}

// hidden is an address without what may be a secret.
func hidden(text string) string {
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		if user, host, ok := strings.Cut(rest, "@"); ok && !strings.Contains(user, "/") {
			return scheme + "://[masked]@" + host
		}
	}
	return text
}

// ParseOrigin reads an address: http, https, file, or a path, which is relative to base. The error is an *OriginError.
func ParseOrigin(text, base string) (*Origin, error) {
	scheme, _, ok := strings.Cut(text, "://")
	switch {
	case text == "":
		return nil, &OriginError{text, "it is empty"}
	case strings.ContainsAny(text, "\x00\r\n"):
		return nil, &OriginError{text, "it holds control characters"}
	case !ok:
		if host, _, colon := strings.Cut(text, ":"); colon && !strings.Contains(host, "/") {
			return nil, &OriginError{text, "ssh would use your keys, so it is not spoken; use the https address, or clone it yourself and name the folder as ./" + text}
		}
		if !filepath.IsAbs(text) {
			text = filepath.Join(base, text)
		}
		return local(text)
	case strings.EqualFold(scheme, "ssh"), strings.EqualFold(scheme, "git+ssh"):
		return nil, &OriginError{text, "ssh would use your keys, so it is not spoken; use the https address, or clone it yourself and name the folder"}
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, &OriginError{text, "it is no address"}
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return nil, &OriginError{text, "want file:///path"}
		}
		return local(u.Path)
	case "http", "https":
	default:
		return nil, &OriginError{text, "want http, https, file or a path"}
	}
	switch {
	case u.Host == "" || u.Opaque != "":
		return nil, &OriginError{text, "it names no host"}
	case u.User != nil:
		return nil, &OriginError{text, "a name or password in an address ends up in records; clone it yourself and name the folder"}
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, &OriginError{text, "it has a query or a fragment"}
	}
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return &Origin{URL: u.String()}, nil
}

func local(dir string) (*Origin, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, &OriginError{dir, "it has no absolute path: " + err.Error()}
	}
	return &Origin{URL: abs, Local: true}, nil
}

// Place is a relative path that stands for the repository: its host and path, without .git.
func (o *Origin) Place() string {
	_, rest, ok := strings.Cut(o.URL, "://")
	if !ok {
		rest = filepath.ToSlash(o.URL)
	}
	return strings.TrimPrefix(path.Clean("/"+strings.TrimSuffix(rest, ".git")), "/")
}

// CommitError says why a text is no commit that can be taken.
type CommitError struct{ Commit string }

// Error says what is wanted.
func (e *CommitError) Error() string {
	if e.Commit == "" {
		return "no commit is named; want its 40 hex digits, since a branch moves"
	}
	return fmt.Sprintf("commit %q: want 40 hex digits, since a branch or a tag moves and a part may become ambiguous", e.Commit)
}

// ParseCommit reads a commit's 40 hex digits. The error is a *CommitError.
func ParseCommit(text string) (string, error) {
	if !regexp.MustCompile(`^[0-9a-fA-F]{40}$`).MatchString(text) || strings.Trim(text, "0") == "" {
		return "", &CommitError{text}
	}
	return strings.ToLower(text), nil
}

// PathError says why a path is none inside a commit.
type PathError struct{ Path, Reason string }

// Error names the path.
func (e *PathError) Error() string { return fmt.Sprintf("path %q: %s", e.Path, e.Reason) }

// ParsePath reads the path of a folder inside a commit; "." is the whole of it. The error is a *PathError.
func ParsePath(text string) (string, error) {
	switch {
	case text == "" || strings.Contains(text, "\x00"):
		return "", &PathError{text, "it is empty"}
	case strings.Contains(text, `\`):
		return "", &PathError{text, "want forward slashes"}
	case !filepath.IsLocal(text):
		return "", &PathError{text, "it leads out of the repository"}
	}
	return path.Clean(text), nil
}
