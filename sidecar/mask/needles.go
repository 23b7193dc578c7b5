package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// needles lists every byte string to look for, longest first and without repeats.
func needles(secrets []string) [][]byte {
	seen := map[string]bool{}
	for _, secret := range secrets {
		// A value read from a file often carries a newline that its user strips.
		for _, s := range []string{secret, strings.TrimSpace(secret)} {
			if len(s) < Shortest {
				continue
			}
			for _, form := range forms(s) {
				seen[form] = true
			}
		}
	}
	out := make([][]byte, 0, len(seen))
	for form := range seen {
		out = append(out, []byte(form))
	}
	slices.SortFunc(out, func(a, b []byte) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return bytes.Compare(a, b)
	})
	return out
}

// forms gives the ways in which a secret is commonly written. None is shorter than the secret.
func forms(s string) []string {
	b := []byte(s)
	return []string{
		s,
		base64.StdEncoding.EncodeToString(b),
		base64.RawStdEncoding.EncodeToString(b),
		base64.URLEncoding.EncodeToString(b),
		base64.RawURLEncoding.EncodeToString(b),
		url.QueryEscape(s),
		url.PathEscape(s),
		jsonEscaped(s, false),
		jsonEscaped(s, true),
		jsonASCII(s),
	}
}

// jsonEscaped is s as it stands between the quotes of a JSON string.
func jsonEscaped(s string, html bool) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s
	}
	quoted := strings.TrimSuffix(buf.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// jsonASCII is jsonEscaped as writers that keep to ASCII put it (Python's default).
func jsonASCII(s string) string {
	var out strings.Builder
	for _, r := range jsonEscaped(s, false) {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}
