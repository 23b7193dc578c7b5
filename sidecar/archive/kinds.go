package archive

import (
	"archive/tar"
	"io/fs"
	"strings"
)

// The kinds of entries in an archive or a folder.
const (
	KindFile     = "file"
	KindDir      = "directory"
	KindLink     = "link"
	KindHardLink = "hard link"
	KindDevice   = "device"
	KindFifo     = "fifo"
	KindSocket   = "socket"
	KindSparse   = "sparse file"
	KindOther    = "other"
)

func kindOfMode(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeDevice != 0:
		return KindDevice
	case mode&fs.ModeNamedPipe != 0:
		return KindFifo
	case mode&fs.ModeSocket != 0:
		return KindSocket
	default:
		return KindOther
	}
}

func kindOfHeader(hdr *tar.Header) string {
	switch hdr.Typeflag {
	case tar.TypeReg, tar.TypeCont:
		// A sparse entry of a few bytes claims any size; the engine never writes one.
		for key := range hdr.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") {
				return KindSparse
			}
		}
		return KindFile
	case tar.TypeDir:
		return KindDir
	case tar.TypeSymlink:
		return KindLink
	case tar.TypeLink:
		return KindHardLink
	case tar.TypeChar, tar.TypeBlock:
		return KindDevice
	case tar.TypeFifo:
		return KindFifo
	case tar.TypeGNUSparse:
		return KindSparse
	default:
		return KindOther
	}
}
