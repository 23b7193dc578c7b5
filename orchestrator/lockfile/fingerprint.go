package lockfile

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// fingerprintBytes is how much of a hash is kept: enough to tell values apart.
const fingerprintBytes = 8

// NewSalt is a salt for a lock's fingerprints. Equal values in two locks have different fingerprints.
func NewSalt() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails (crypto/rand)
	return hex.EncodeToString(b)
}

// Fingerprint tells whether a variable has the same value as when the lock was made. It is not empty.
func Fingerprint(salt, name, value string) string {
	h := hmac.New(sha256.New, []byte(salt))
	h.Write([]byte(name + "\x00" + value))
	return hex.EncodeToString(h.Sum(nil)[:fingerprintBytes])
}
