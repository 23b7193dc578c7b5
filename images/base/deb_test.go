package base_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ulikunitz/xz"

	"github.com/seatrial/seatrial/images/base"
)

// arOf writes an archive as dpkg does.
func arOf(members ...[2]string) []byte {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range members {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", m[0], 0, 0, 0, "100644", len(m[1]), m[1])
		if len(m[1])%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func tarOf(t testing.TB, files ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range files {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bytes.Repeat([]byte("x"), int(h.Size))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAr(t *testing.T) {
	tests := []struct {
		name  string
		data  []byte
		want  map[string]string
		fault bool
	}{
		{name: "members of odd and even size are read", data: arOf([2]string{"a", "odd"}, [2]string{"b", "even"}, [2]string{"c", ""}), want: map[string]string{"a": "odd", "b": "even", "c": ""}},
		{name: "a name may end in a slash", data: arOf([2]string{"a/", "x"}), want: map[string]string{"a": "x"}},
		{name: "an archive may be empty", data: arOf(), want: map[string]string{}},
		{name: "another kind of file is a fault", data: []byte("PK\x03\x04"), fault: true},
		{name: "a cut member is a fault", data: arOf([2]string{"a", "some text"})[:70], fault: true},
		{name: "a cut header is a fault", data: arOf([2]string{"a", "x"})[:40], fault: true},
		{name: "a negative size is a fault", data: bytes.Replace(arOf([2]string{"a", "x"}), []byte("1         `"), []byte("-1        `"), 1), fault: true},
		{name: "a damaged header is a fault", data: bytes.Replace(arOf([2]string{"a", "x"}), []byte("`\n"), []byte("xx"), 1), fault: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readAr(bytes.NewReader(tt.data))
			var fault *base.FormatError
			if wrong := errors.As(err, &fault) || errors.Is(err, io.ErrUnexpectedEOF); wrong != tt.fault {
				t.Fatalf("error %v, want a fault: %v", err, tt.fault)
			}
			if diff := cmp.Diff(tt.want, got); !tt.fault && diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
		})
	}
}

func readAr(r io.Reader) (map[string]string, error) {
	a, err := base.NewAr(r)
	if err != nil {
		return nil, err
	}
	members := map[string]string{}
	for {
		name, content, err := a.Next()
		if errors.Is(err, io.EOF) {
			return members, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(content)
		if err != nil {
			return nil, err
		}
		members[name] = string(text)
	}
}

func TestDataOf(t *testing.T) {
	data := tarOf(t, tar.Header{Name: "./bin/sh", Size: 3})
	var gz, x bytes.Buffer
	zw := gzip.NewWriter(&gz)
	xw, err := xz.NewWriter(&x)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{zw, xw} {
		if _, err := io.WriteString(w, data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	version := [2]string{"debian-binary", "2.0\n"}
	tests := []struct {
		name  string
		deb   []byte
		fault bool
	}{
		{name: "a plain one is read", deb: arOf(version, [2]string{"data.tar", data})},
		{name: "one packed by gzip is read", deb: arOf(version, [2]string{"control.tar", ""}, [2]string{"data.tar.gz", gz.String()})},
		{name: "one packed by xz is read", deb: arOf(version, [2]string{"data.tar.xz", x.String()})},
		{name: "another packing is a fault", deb: arOf(version, [2]string{"data.tar.bz2", "x"}), fault: true},
		{name: "a package without files is a fault", deb: arOf(version), fault: true},
		{name: "what is not packed as it says is a fault", deb: arOf(version, [2]string{"data.tar.xz", "nonsense"}), fault: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files, err := base.DataOf(bytes.NewReader(tt.deb))
			var fault *base.FormatError
			if errors.As(err, &fault) != tt.fault {
				t.Fatalf("error %v, want a fault: %v", err, tt.fault)
			}
			if tt.fault {
				return
			}
			h, err := files.Next()
			if err != nil || h.Name != "./bin/sh" {
				t.Errorf("first file %v, %v", h, err)
			}
		})
	}
}

func FuzzDeb(f *testing.F) {
	f.Add(arOf([2]string{"debian-binary", "2.0\n"}, [2]string{"data.tar", tarOf(f, tar.Header{Name: "a", Size: 1})}))
	f.Add(arOf([2]string{"data.tar.xz", "\xfd7zXZ\x00"}))
	f.Add([]byte("!<arch>\n"))
	f.Fuzz(func(t *testing.T, deb []byte) {
		if members, err := readAr(bytes.NewReader(deb)); err == nil {
			total := 0
			for _, m := range members {
				total += len(m)
			}
			if total > len(deb) {
				t.Errorf("%d bytes out of %d", total, len(deb))
			}
		}
		files, err := base.DataOf(bytes.NewReader(deb))
		for err == nil {
			_, err = files.Next()
		}
	})
}
