package base

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/ulikunitz/xz"
)

// DataOf returns a reader over the files of a package (deb(5), member data.tar),
// taken from the package file r. Plain, gzip and xz are read, which is what
// Debian's archive has. It fails with *FormatError.
func DataOf(r io.Reader) (*tar.Reader, error) {
	a, err := NewAr(r)
	if err != nil {
		return nil, err
	}
	for {
		name, content, err := a.Next()
		if err == io.EOF { //nolint:errorlint // Next promises io.EOF itself
			return nil, &FormatError{File: "package", Reason: "it has no data.tar"}
		}
		if err != nil {
			return nil, err
		}
		if suffix, ok := strings.CutPrefix(name, "data.tar"); ok {
			plain, err := unpack(content, suffix)
			if err != nil {
				return nil, err
			}
			return tar.NewReader(plain), nil
		}
	}
}

func unpack(r io.Reader, suffix string) (io.Reader, error) {
	var plain io.Reader
	var err error
	switch suffix {
	case "":
		return r, nil
	case ".gz":
		plain, err = gzip.NewReader(r)
	case ".xz":
		plain, err = xz.NewReader(r)
	default:
		return nil, &FormatError{File: "package", Reason: fmt.Sprintf("it is packed as %q, which is not read here", suffix)}
	}
	if err != nil {
		return nil, &FormatError{File: "package", Reason: err.Error()}
	}
	return plain, nil
}
