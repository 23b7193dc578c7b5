package report

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Plain makes text of any origin readable outside a terminal: escape sequences of terminals are taken out, what is not UTF-8 and control characters other than
// line ends and tabs become the replacement character, and a line that was written over with carriage returns shows its last form.
func Plain(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	s = escapes().ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.ContainsRune(s, '\r') {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			l = strings.TrimRight(l, "\r")
			lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
		}
		s = strings.Join(lines, "\n")
	}
	return strings.Map(func(r rune) rune {
		if odd(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// odd characters are no text: controls, noncharacters, and those that change the direction of what follows.
func odd(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r&0xfffe == 0xfffe
}

// csi is a sequence that sets a colour or moves the cursor, and the like (ECMA-48, 5.4).
const csi = "(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]"

func settings() *regexp.Regexp { return regexp.MustCompile(csi) }

// escapes are the sequences of ECMA-48: CSI, the strings that OSC, DCS, SOS, PM and APC begin, and the short ones.
func escapes() *regexp.Regexp {
	return regexp.MustCompile(csi +
		"|\x1b[\\]PX^_][^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?" +
		"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\\\\x60-~]")
}

// Cut shortens text to at most most bytes, and says how much it left out. It never splits a character.
func Cut(s string, most int) string {
	return cut(s, most, 0)
}

// Short is Plain and Cut in one, at a cost that does not grow with what is left out.
func Short(s string, most int) string {
	// Escape sequences take room before they go, so more is looked at than is kept.
	window := s[:min(len(s), 4*most+256)]
	return cut(Plain(window), most, len(s)-len(window))
}

func cut(s string, most, behind int) string {
	if len(s) <= most && behind == 0 {
		return s
	}
	end := min(most, len(s))
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "… (" + Bytes(int64(len(s)-end+behind)) + " more)"
}
