package base

import (
	"bytes"
	"embed"
	"fmt"

	// The hashes that Debian's keys sign with.
	_ "crypto/sha256"
	_ "crypto/sha512"

	// Frozen, yet all that is needed: RSA signatures are checked, nothing is made.
	"golang.org/x/crypto/openpgp"           //nolint:staticcheck // see above
	"golang.org/x/crypto/openpgp/clearsign" //nolint:staticcheck // see above
)

// keys are the archive signing keys of the suites that can be made, from
// Debian's package debian-archive-keyring (RSA ones; every release file bears
// a signature of one of them).
//
//go:embed keys/*.gpg
var keys embed.FS

// SignatureError says that a release file is not signed by a key of Debian's.
type SignatureError struct {
	URL    string
	Reason string
}

// Error implements error.
func (e *SignatureError) Error() string {
	return fmt.Sprintf("%s is not signed by Debian (%s); use another mirror, or allow an unsigned one if it is yours", e.URL, e.Reason)
}

// signedText takes the text out of a clear-signed file. verified tells whether
// one of the known keys signed it; reason tells why not.
func signedText(file []byte) (text []byte, verified bool, reason string) {
	block, _ := clearsign.Decode(file)
	if block == nil {
		return file, false, "it bears no signature"
	}
	ring, err := keyring()
	if err != nil {
		return block.Plaintext, false, err.Error()
	}
	if _, err := openpgp.CheckDetachedSignature(ring, bytes.NewReader(block.Bytes), block.ArmoredSignature.Body); err != nil {
		return block.Plaintext, false, err.Error()
	}
	return block.Plaintext, true, ""
}

func keyring() (openpgp.EntityList, error) {
	files, err := keys.ReadDir("keys")
	if err != nil {
		return nil, fmt.Errorf("reading the archive's keys: %w", err)
	}
	var all openpgp.EntityList
	for _, f := range files {
		data, err := keys.ReadFile("keys/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the archive's keys: %w", err)
		}
		ring, err := openpgp.ReadKeyRing(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("reading the archive's key %s: %w", f.Name(), err)
		}
		all = append(all, ring...)
	}
	return all, nil
}
