package sidecar

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Level says how good a finding is.
type Level string

// The levels. A warning costs speed, isolation or a kind of task; after a failure nothing can be run.
const (
	LevelOK   Level = "ok"
	LevelWarn Level = "warn"
	LevelFail Level = "fail"
)

// Finding is one thing that an examination has looked at.
type Finding struct {
	// ID names it for programs: "engine", "disk_engine", ... It does not change.
	ID    string `json:"id"`
	Level Level  `json:"level"`
	// Says is what was found, in one line.
	Says string `json:"says"`
	// Advice is what to do, in one sentence; empty for LevelOK.
	Advice string `json:"advice,omitempty"`
	// Facts are the numbers and names behind it, sizes in bytes.
	Facts map[string]any `json:"facts,omitempty"`
}

// Diagnosis is the outcome of an examination.
type Diagnosis struct {
	// Usable says that runs can start.
	Usable   bool      `json:"usable"`
	Findings []Finding `json:"findings"`
}

// worst is the level of the worst finding.
func (d *Diagnosis) worst() Level {
	worst := LevelOK
	for _, f := range d.Findings {
		switch f.Level {
		case LevelFail:
			return LevelFail
		case LevelWarn:
			worst = LevelWarn
		case LevelOK:
		}
	}
	return worst
}

// Checkup says what an examination looks for beyond the engine itself.
type Checkup struct {
	Room Room
	// Bases are references of images that the tool can make itself.
	Bases []string
	// Self is who asks: what it owns is not stale.
	Self Owner
}

// checkupLimit bounds each question of an examination.
const checkupLimit = 10 * time.Second

// Examine looks at everything that runs depend on, and changes nothing. An engine that cannot be used is a finding like others; the rest is then
// left out. It takes ten seconds for the first answer and as long for all others.
func Examine(ctx context.Context, h Host, c Checkup) Diagnosis {
	e, in, err := examineEngine(ctx, h)
	if err != nil {
		return Unreachable(h, err, c.Room)
	}
	defer e.Close()
	x := &examination{eng: e, in: in, checkup: c}
	d := Diagnosis{Findings: x.all(ctx)}
	d.Usable = d.worst() != LevelFail
	return d
}

// Unreachable is the diagnosis where no engine can be asked: err says why.
func Unreachable(h Host, err error, room Room) Diagnosis {
	return Diagnosis{Findings: []Finding{unusableFinding(h, err), room.finding("disk_records", "the runs folder", room.RunsDir)}}
}

// examineEngine connects to the engine and asks who it is.
func examineEngine(ctx context.Context, h Host) (*Engine, Info, error) {
	ctx, cancel := within(ctx, checkupLimit)
	defer cancel()
	e, err := Connect(h)
	if err != nil {
		return nil, Info{}, err
	}
	in, err := e.Ping(ctx)
	if err != nil {
		_ = e.Close() // it never worked
		return nil, Info{}, err
	}
	return e, in, nil
}

func unusableFinding(h Host, err error) Finding {
	f := Finding{ID: "engine", Level: LevelFail, Says: err.Error(), Advice: "Start the engine, or name another one with DOCKER_HOST.",
		Facts: map[string]any{"host": h.Address, "source": h.Source}}
	if u, ok := unusable(err); ok {
		f.Facts["host"], f.Facts["source"] = u.Host, u.Source
		if u.Source == poolVariable {
			f.ID, f.Advice = "network_pool", "Set "+poolVariable+" to an IPv4 network such as "+defaultPool+", or unset it."
		}
		if u.Hint != "" {
			plain := *u
			plain.Hint = ""
			f.Says, f.Advice = plain.Error(), sentence(u.Hint)
		}
	}
	return f
}

// examination is one in the making.
type examination struct {
	eng     *Engine
	in      Info
	checkup Checkup

	mu    sync.Mutex
	found map[int][]Finding
}

// all asks everything at once and gives the findings in a fixed order.
func (x *examination) all(ctx context.Context) []Finding {
	ctx, cancel := within(ctx, checkupLimit)
	defer cancel()
	x.found = map[int][]Finding{}
	var g errgroup.Group
	g.SetLimit(8)
	for i, part := range []func(context.Context) []Finding{x.engine, x.machine, x.builder, x.networks, x.helper, x.images, x.leftovers} {
		g.Go(func() error {
			f := part(ctx)
			x.mu.Lock()
			defer x.mu.Unlock()
			x.found[i] = f
			return nil
		})
	}
	_ = g.Wait() // its functions return nothing
	var out []Finding
	for i := range len(x.found) {
		out = append(out, x.found[i]...)
	}
	return out
}

// engine says which engine it is, how it is reached and what it speaks.
func (x *examination) engine(context.Context) []Finding {
	h, in := x.eng.host, x.in
	f := Finding{ID: "engine", Level: LevelOK, Says: fmt.Sprintf("%s %s at %s (from %s)", in.Name, in.Version, h.Address, h.Source),
		Facts: map[string]any{"name": in.Name, "version": in.Version, "host": h.Address, "source": h.Source, "local": h.Local(), "tls": h.TLS()}}
	switch {
	case in.Podman():
		f.Level, f.Advice = LevelWarn, "Podman cannot build images here, keep trials apart on the shared network, or give names to stacks without network access; a Docker Engine does all of it."
	case h.TLS() && h.SkipVerify:
		f.Level, f.Says, f.Advice = LevelWarn, f.Says+", whose certificate is not checked", "Set DOCKER_TLS_VERIFY=1, or the context's CA, so that nobody can pose as the engine."
	case !h.TLS() && strings.HasPrefix(h.Address, tcpScheme):
		f.Level, f.Says, f.Advice = LevelWarn, f.Says+", without encryption", "Whoever reaches that port is root there: use TLS or ssh."
	}
	api := Finding{ID: "api", Level: LevelOK, Says: fmt.Sprintf("version %s in use, %s to %s spoken by the engine", in.API, cmp.Or(in.MinAPI, "?"), cmp.Or(in.MaxAPI, "?")),
		Facts: map[string]any{"in_use": in.API, "min": in.MinAPI, "max": in.MaxAPI, "needed": minAPI}}
	cpu := Finding{ID: "platform", Level: LevelOK, Says: fmt.Sprintf("%s/%s, kernel %s", in.OS, in.Arch, cmp.Or(in.Kernel, "?")),
		Facts: map[string]any{"os": in.OS, "arch": in.Arch, "kernel": in.Kernel}}
	if err := x.eng.fits(in); err != nil {
		cpu.Level, cpu.Says, cpu.Advice = LevelFail, cpu.Says+": "+err.Error(), "Use an engine with another processor, or build seatrial with a helper for this one (sidecar/shim/build.sh)."
	}
	return []Finding{f, api, cpu}
}

// unknown is a finding about something that the engine would not tell.
func unknown(id, what string, err error) Finding {
	return Finding{ID: id, Level: LevelWarn, Says: what + " cannot be found out: " + (&brief{err, 200}).Error(), Advice: "Runs may work all the same; look at the engine's own log."}
}

// sentence makes a hint one.
func sentence(hint string) string {
	if hint == "" {
		return ""
	}
	end := hint[len(hint)-1:]
	if end != "." && end != "?" && end != "!" {
		hint += "."
	}
	if r := []rune(hint); slices.Contains([]rune("abcdefghijklmnopqrstuvwxyz"), r[0]) {
		hint = string(r[0]-'a'+'A') + string(r[1:])
	}
	return hint
}
