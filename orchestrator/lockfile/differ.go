package lockfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is something that is not as it was.
type Difference struct {
	// What names it: "image of main", "kernel".
	What string `json:"what"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// String is the difference in words.
func (d Difference) String() string {
	return fmt.Sprintf("%s: was %s, is %s", d.What, orNone(d.Was), orNone(d.Is))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// Differences lists what decides a trial and differs between two locks of it, in a fixed order. What no two trials share, such as ids and neighbours, is not compared, and
// neither is where the folders lie.
func Differences(was, is *Lock) []Difference {
	var all []Difference
	say := func(what string, a, b any) {
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			all = append(all, Difference{What: what, Was: x, Is: y})
		}
	}
	say("the task's files", was.Task.Checksum, is.Task.Checksum)
	say("the agent", who(&was.Agent), who(&is.Agent))
	say("the agent's files", checksum(was.Agent.Folder), checksum(is.Agent.Folder))
	say("the options", was.Options.text(), is.Options.text())
	for _, name := range keys(was.Images, is.Images) {
		say("the image of "+name, was.Images[name].ID, is.Images[name].ID)
	}
	all = append(all, fakes(was.Fakes, is.Fakes)...)
	limits(was, is, say)
	services(was, is, say)
	say("the network", policies(was.Network), policies(is.Network))
	all = append(all, Variables(was, is)...)
	say("seatrial", strings.TrimSpace(was.Tool.Version+" "+was.Tool.Commit), strings.TrimSpace(is.Tool.Version+" "+is.Tool.Commit))
	machine(&was.Machine, &is.Machine, say)
	return all
}

func who(a *Agent) string {
	return strings.TrimSpace(strings.Join([]string{a.Kind, a.Name, a.Version, a.Model, a.Command}, " "))
}

func checksum(f *Folder) string {
	if f == nil {
		return ""
	}
	return f.Checksum
}

func (o Options) text() string {
	slices.Sort(o.Allow)
	return fmt.Sprintf("%+v", o)
}

func keys[V any](a, b map[string]V) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

func fakes(was, is *Fakes) []Difference {
	a, b := Fakes{}, Fakes{}
	if was != nil {
		a = *was
	}
	if is != nil {
		b = *is
	}
	var all []Difference
	say := func(what, x, y string) {
		if x != y {
			all = append(all, Difference{What: what, Was: x, Is: y})
		}
	}
	say("the fakes' scenario", a.Scenario, b.Scenario)
	say("the fakes' seed", a.Seed, b.Seed)
	say("the fakes' clock", a.Clock, b.Clock)
	for _, name := range keys(a.Servers, b.Servers) {
		say("the contract of "+name, a.Servers[name], b.Servers[name])
	}
	return all
}

func limits(was, is *Lock, say func(string, any, any)) {
	read := func(l *Lock) map[string]string {
		m := map[string]string{}
		for _, x := range l.Limits {
			m[strings.TrimSpace(x.Phase+" "+x.Step)] = fmt.Sprintf("%g s (%s)", x.Seconds, x.Source)
		}
		return m
	}
	a, b := read(was), read(is)
	for _, k := range keys(a, b) {
		say("the limit of "+k, a[k], b[k])
	}
}

func services(was, is *Lock, say func(string, any, any)) {
	read := func(l *Lock) map[string]string {
		m := map[string]string{}
		for _, s := range l.Services {
			m[s.Name] = fmt.Sprintf("%g processors, %d bytes, %d processes", s.CPUs, s.Memory, s.Pids)
		}
		return m
	}
	a, b := read(was), read(is)
	for _, k := range keys(a, b) {
		say("what "+k+" may use", a[k], b[k])
	}
}

func policies(list []Policy) string {
	var out []string
	for _, p := range list {
		out = append(out, strings.TrimSpace(strings.Join([]string{p.Step, p.Phase, p.Mode, strings.Join(p.Hosts, ",")}, " ")))
	}
	return strings.Join(out, "; ")
}

// Variables lists the variables whose values differ. is may have been made with another salt: then those that both have count as the same, unless one is not set.
func Variables(was, is *Lock) []Difference {
	read := func(l *Lock) map[string]string {
		m := map[string]string{}
		for _, v := range l.Variables {
			m[v.From+" "+v.Name] = v.Fingerprint
		}
		return m
	}
	a, b := read(was), read(is)
	var all []Difference
	for _, k := range keys(a, b) {
		x, inA := a[k]
		y, inB := b[k]
		name := "the variable " + k[strings.Index(k, " ")+1:]
		switch {
		case inA != inB:
			all = append(all, Difference{What: name, Was: used(inA, x), Is: used(inB, y)})
		case (x == "") != (y == ""):
			all = append(all, Difference{What: name, Was: used(true, x), Is: used(true, y)})
		case was.Salt == is.Salt && x != y:
			all = append(all, Difference{What: name, Was: "another value (fingerprint " + x + ")", Is: "fingerprint " + y})
		}
	}
	return all
}

func used(in bool, mark string) string {
	switch {
	case !in:
		return "not used"
	case mark == "":
		return "not set"
	}
	return "set"
}

func machine(a, b *Machine, say func(string, any, any)) {
	say("the engine", a.Engine+" "+a.Version, b.Engine+" "+b.Version)
	say("the system", a.OS+"/"+a.Arch, b.OS+"/"+b.Arch)
	say("the kernel", a.Kernel, b.Kernel)
	say("the cgroup version", a.Cgroup, b.Cgroup)
	say("the storage driver", a.Storage, b.Storage)
	say("the engine's security options", a.Security, b.Security)
	say("the engine's processors", a.CPUs, b.CPUs)
	say("the engine's memory", gib(a.Memory), gib(b.Memory))
}

// gib is memory to a tenth of a GiB: machines of one kind differ by some pages.
func gib(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }
