package images

import "strings"

// maxName bounds the readable part of a tag, in bytes.
const maxName = 64

// Tag is the reference of the image that is built for a name and digest:
// seatrial/<name>:<first 16 digits>. Whatever the name, it is a right reference.
func Tag(name, digest string) string {
	return namespace + sanitise(name) + ":" + firstDigits(digest)
}

const namespace = "seatrial/"

func firstDigits(digest string) string {
	hexes := strings.TrimPrefix(digest, "sha256:")
	return hexes[:min(16, len(hexes))]
}

// named says whether a reference is what Tag gives for a digest and some name.
func named(ref, digest string) bool {
	rest, ours := strings.CutPrefix(ref, namespace)
	name, tag, _ := strings.Cut(rest, ":")
	return ours && name != "" && name == sanitise(name) && tag == firstDigits(digest)
}

// sanitise keeps what the path of a reference may hold (distribution's reference
// grammar): lower case words with one separator between them.
func sanitise(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if b.Len() >= maxName {
			break
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "task"
	}
	return b.String()
}
