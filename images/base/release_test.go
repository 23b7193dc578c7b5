package base_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/images/base"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func TestParseRelease(t *testing.T) {
	tests := []struct {
		name, text string
		fault      bool
	}{
		{name: "one with a file", text: "Codename: trixie\nVersion: 13.1\nDate: Sat\nSHA256:\n " + zeros + " 12 main/Packages.gz\n"},
		{name: "an empty one is a fault", text: "\n", fault: true},
		{name: "a cut line is a fault", text: "SHA256:\n " + zeros + " 12\n", fault: true},
		{name: "a short digest is a fault", text: "SHA256:\n 00 12 main/Packages.gz\n", fault: true},
		{name: "a size below nothing is a fault", text: "SHA256:\n " + zeros + " -1 main/Packages.gz\n", fault: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := base.ParseRelease([]byte(tt.text))
			var fault *base.FormatError
			if errors.As(err, &fault) != tt.fault {
				t.Fatalf("error %v, want a fault: %v", err, tt.fault)
			}
			if tt.fault {
				return
			}
			if f := r.Files["main/Packages.gz"]; r.Codename != "trixie" || r.Version != "13.1" || f.Size != 12 || f.SHA256 != zeros {
				t.Errorf("read %+v", r)
			}
		})
	}
}

func FuzzParseRelease(f *testing.F) {
	f.Add("Codename: trixie\nSHA256:\n " + zeros + " 12 main/Packages.gz\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := base.ParseRelease([]byte(text))
		if err != nil {
			return
		}
		for name, c := range r.Files {
			if c.Size < 0 || len(c.SHA256) != 64 || strings.ContainsAny(name, " \n") {
				t.Errorf("%q: %+v", name, c)
			}
		}
	})
}
