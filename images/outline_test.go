package images_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/images"
)

func TestReadOutline(t *testing.T) {
	t.Parallel()
	const text = `# syntax=docker/dockerfile:1
ARG BASE=debian:bookworm
FROM golang:1.26 AS Build
COPY --chown=1:1 . /src
FROM ${BASE} AS base
RUN <<EOF
apt-get install -y python3
EOF
FROM base
COPY --from=build /src/x /x
COPY ["a b", "c", "/d/"]
COPY <<X /e
hello
X
ADD --exclude=*.md tests \
  /tests
RUN ["true", "x"]
`
	o, err := images.ReadOutline([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []images.Stage{
		{Name: "base", Base: "debian:bookworm", Line: 5, Runs: []images.Run{{6, "<<EOF\napt-get install -y python3\n"}}},
		{Base: "base", Line: 9, Copies: []images.Copy{{Line: 10, From: "build", Sources: []string{"/src/x"}, Dest: "/x"}, {Line: 11, Sources: []string{"a b", "c"}, Dest: "/d/"},
			{Line: 12, Dest: "/e"}, {Line: 15, Sources: []string{"tests"}, Dest: "/tests", Exclude: []string{"*.md"}}}, Runs: []images.Run{{17, "true x"}}},
	}
	if diff := cmp.Diff(want, o.Chain("")); diff != "" {
		t.Error(diff)
	}
	if got := o.Chain("build"); len(got) != 1 || got[0].Copies[0].Sources[0] != "." {
		t.Errorf("the chain of a named stage: %+v", got)
	}
	if got := o.Chain("none"); len(got) != 0 {
		t.Errorf("the chain of no stage: %+v", got)
	}
}

func FuzzReadOutline(f *testing.F) {
	f.Add([]byte("FROM x AS y\nFROM y\nCOPY a b\nRUN <<E\nx\nE\n"))
	f.Add([]byte("FROM a AS a\nFROM a AS a\nADD [\"x\", \"y\"]\nARG A=${A}\nFROM $A\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := images.ReadOutline(text)
		if err != nil {
			return
		}
		if got := o.Chain(""); len(got) > len(o.Stages) {
			t.Errorf("%d of %d stages", len(got), len(o.Stages))
		}
	})
}
