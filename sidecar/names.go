package sidecar

import (
	"crypto/sha256"
	"encoding/hex"
)

// Names of what is shared between runs on one engine.
const (
	sharedNetwork = "seatrial-shared"
	helperVolume  = "seatrial-helper-" // and the helper's digest
)

// maxName keeps container names usable as DNS labels.
const maxName = 63

// objectName is the engine's name for a service, network or volume of a trial. The trial's own part is cut so that
// the whole is at most 63 bytes; the trial's random suffix (its last 8 bytes) always stays.
func objectName(trial, part string) string {
	t, p := Slug(trial, 200), Slug(part, 24)
	if p != part { // another part may have the same slug
		sum := sha256.Sum256([]byte(part))
		p = Slug(part, 16) + "-" + hex.EncodeToString(sum[:3])
	}
	room := maxName - len("seatrial-") - 1 - len(p)
	if len(t) > room {
		t = t[:room-9] + "-" + t[len(t)-8:]
	}
	return "seatrial-" + t + "-" + p
}
