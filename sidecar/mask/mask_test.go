package mask_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/mask"
)

func TestString(t *testing.T) {
	for _, tc := range []struct {
		name    string
		secrets []string
		in      string
		want    string
	}{
		{"text without a secret stays", []string{"hunter22"}, "hunter2 is not it", "hunter2 is not it"},
		{"a secret is replaced wherever it stands", []string{"hunter22"}, "hunter22 and xhunter22y", "[masked] and x[masked]y"},
		{"two in a row give two marks", []string{"abcd"}, "abcdabcd", "[masked][masked]"},
		{"the longest secret wins", []string{"abcd", "abcdef"}, "abcdefg", "[masked]g"},
		{"secrets that overlap share one mark", []string{"abcd", "cdef"}, "xabcdefy", "x[masked]y"},
		{"a secret that overlaps itself is hidden whole", []string{"abab"}, "ababab!", "[masked]!"},
		{"a secret of three bytes is not looked for", []string{"abc"}, "abc", "abc"},
		{"an empty secret is not looked for", []string{""}, "abc", "abc"},
		{"standard base64 is found", []string{"s3cr?t>>"}, "x " + b64(base64.StdEncoding, "s3cr?t>>") + " y", "x [masked] y"},
		{"unpadded base64 is found", []string{"s3cr?t>"}, "x " + b64(base64.RawStdEncoding, "s3cr?t>") + " y", "x [masked] y"},
		{"URL base64 is found", []string{"s3cr?t>>"}, "x " + b64(base64.URLEncoding, "s3cr?t>>") + " y", "x [masked] y"},
		{"a query-escaped secret is found", []string{"a b&c=d"}, "?k=a+b%26c%3Dd&l=1", "?k=[masked]&l=1"},
		{"a path-escaped secret is found", []string{"a b/c d"}, "/a%20b%2Fc%20d/x", "/[masked]/x"},
		{"a JSON-escaped secret is found", []string{"a\"b\\c\nd"}, `{"k":"a\"b\\c\nd"}`, `{"k":"[masked]"}`},
		{"a JSON secret escaped for HTML is found", []string{"a<b>&c"}, `"a\u003cb\u003e\u0026c"`, `"[masked]"`},
		{"a JSON secret in ASCII is found", []string{"pässw😀rd"}, `"p\u00e4ssw\ud83d\ude00rd"`, `"[masked]"`},
		{"a secret with a trailing newline is found without it", []string{"hunter22\n"}, "[hunter22]", "[[masked]]"},
		{"a start of a secret at the end stays", []string{"hunter22"}, "x hunter2", "x hunter2"},
		{"binary bytes are kept", []string{"hunter22"}, "\xff\x00hunter22\xfe", "\xff\x00[masked]\xfe"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, mask.NewMasker(tc.secrets).String(tc.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func b64(enc *base64.Encoding, s string) string { return enc.EncodeToString([]byte(s)) }

func TestStreamsGiveTheSameAsString(t *testing.T) {
	m := mask.NewMasker([]string{"hunter22", "hunter2", "22abab", "abab"})
	in := strings.Repeat("x hunter2 hunter22abababab hunt", 50)
	want := m.String(in)

	got, err := io.ReadAll(iotest.OneByteReader(m.Reader(iotest.OneByteReader(strings.NewReader(in)))))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error("reader:", diff)
	}
	for size := 1; size < 40; size++ {
		if diff := cmp.Diff(want, written(t, m, in, size)); diff != "" {
			t.Errorf("writer in pieces of %d: %s", size, diff)
		}
	}
}

func written(t testing.TB, m *mask.Masker, in string, size int) string {
	t.Helper()
	var out bytes.Buffer
	w := m.Writer(&out)
	for len(in) > 0 {
		n := min(size, len(in))
		if _, err := io.WriteString(w, in[:n]); err != nil {
			t.Fatal(err)
		}
		in = in[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWriterHoldsBackNothingThatCannotBeASecret(t *testing.T) {
	var out bytes.Buffer
	w := mask.NewMasker([]string{strings.Repeat("long secret ", 500)}).Writer(&out)
	if _, err := io.WriteString(w, "step 1 done\n"); err != nil {
		t.Fatal(err)
	}
	if out.String() != "step 1 done\n" {
		t.Errorf("got %q before Close, want the whole line", out.String())
	}
}

func TestReaderPassesOnTheErrorBelowAfterTheData(t *testing.T) {
	broken := errors.New("broken")
	r := mask.NewMasker([]string{"hunter22"}).Reader(io.MultiReader(strings.NewReader("ab hunter22 cd hunter2"), iotest.ErrReader(broken)))
	got, err := io.ReadAll(r)
	if !errors.Is(err, broken) {
		t.Errorf("error is %v, want %v", err, broken)
	}
	if string(got) != "ab [masked] cd " {
		t.Errorf("got %q", got)
	}
}

func TestWriterPassesOnTheErrorBelow(t *testing.T) {
	pr, pw := io.Pipe()
	broken := errors.New("broken")
	pr.CloseWithError(broken)
	w := mask.NewMasker(nil).Writer(pw)
	if _, err := w.Write([]byte("abc")); !errors.Is(err, broken) {
		t.Errorf("error is %v, want %v", err, broken)
	}
}

func TestNilMaskerMasksNothing(t *testing.T) {
	var m *mask.Masker
	if got := m.String("abcd"); got != "abcd" {
		t.Errorf("got %q", got)
	}
	if got := written(t, m, "abcd", 2); got != "abcd" {
		t.Errorf("got %q", got)
	}
}

func FuzzMask(f *testing.F) {
	f.Add("hunter22", "hunt", []byte("x hunter22 hunter hunthunter22"), byte(3))
	f.Add("aaaa", "aaaaaab", []byte("aaaaaaaaaab"), byte(1))
	f.Add("abcd", "cdef", []byte("abcdefabcd"), byte(5))
	f.Fuzz(func(t *testing.T, a, b string, in []byte, size byte) {
		secrets := []string{a, b}
		m := mask.NewMasker(secrets)
		want := m.String(string(in))
		if got := written(t, m, string(in), int(size%64)+1); got != want {
			t.Errorf("writer gives %q, String gives %q", got, want)
		}
		got, err := io.ReadAll(m.Reader(iotest.HalfReader(bytes.NewReader(in))))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("reader gives %q, String gives %q", got, want)
		}
		for _, rest := range strings.Split(want, mask.Mark) {
			for _, s := range secrets {
				if len(s) >= mask.Shortest && strings.Contains(rest, s) {
					t.Errorf("%q is still in %q", s, want)
				}
			}
		}
	})
}

func BenchmarkString(b *testing.B) {
	m := mask.NewMasker([]string{"sk-ant-0123456789abcdef0123456789abcdef", "postgres://user:pass@host/db"})
	in := strings.Repeat("step 17: the quick brown fox jumps over the lazy dog (sk-) \n", 20000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		m.String(in)
	}
}
