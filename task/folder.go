package task

import (
	"path"
	"slices"
)

// scripts are the names of a task's scripts on its system.
type scripts struct{ test, solve string }

func scriptsOf(system OS) scripts {
	if system == Windows {
		return scripts{"test.bat", "solve.bat"}
	}
	return scripts{"test.sh", "solve.sh"}
}

// folder checks what stands beside task.toml.
func (l *loading) folder() {
	c := &l.task.Config
	l.environment()
	if !c.MultiStep() {
		p := Part{Step: TaskLevel, Instruction: l.instruction("instruction.md"), Solution: l.maybeDir("solution")}
		l.tests(&p, "")
		l.task.Instruction = p.Instruction
		l.task.Parts = []Part{p}
	}
	for i := range c.Steps {
		l.step(i)
	}
	l.probes()
	l.lint()
}

func (l *loading) environment() {
	image := l.task.Config.Environment.DockerImage
	if !l.dir("environment") {
		if image == "" {
			l.missing("environment", "the folder is missing, and task.toml names no [environment] docker_image")
		} else {
			l.warn(MissingFolder, "environment", 0, "the folder is missing, which Harbor does not take for a task; "+image+" is used")
		}
		return
	}
	l.task.HasEnvironment = true
	d := l.definition("environment")
	l.task.HasDockerfile, l.task.HasCompose = d.Dockerfile, d.Compose
	if !d.Dockerfile && !d.Compose && image == "" {
		l.fault("environment", "the folder holds neither a Dockerfile nor a docker-compose.yaml, and task.toml names no "+
			"[environment] docker_image")
	}
}

// definition tells what a folder that defines a container holds.
func (l *loading) definition(dir string) Definition {
	d := Definition{
		Dir:        dir,
		Dockerfile: l.file(path.Join(dir, "Dockerfile")),
		Compose:    l.file(path.Join(dir, "docker-compose.yaml")),
	}
	if d.Compose {
		return d
	}
	for _, name := range []string{"docker-compose.yml", "compose.yaml", "compose.yml"} {
		if rel := path.Join(dir, name); l.file(rel) {
			l.warn(UnreadFile, rel, 0, "is not read; the name is docker-compose.yaml")
		}
	}
	return d
}

func (l *loading) step(i int) {
	name := l.task.Config.Steps[i].Name
	dir := path.Join("steps", name)
	if !l.dir(dir) {
		l.missing(dir, "the folder of step "+name+" is missing")
		return
	}
	p := Part{
		Step: i, Name: name,
		Instruction: l.instruction(path.Join(dir, "instruction.md")),
		Solution:    l.maybeDir(path.Join(dir, "solution")),
		Workdir:     l.maybeDir(path.Join(dir, "workdir")),
	}
	if p.Solution == "" {
		p.Solution = l.maybeDir("solution")
	}
	p.Setup = p.Workdir != "" && l.file(path.Join(p.Workdir, "setup.sh"))
	l.tests(&p, dir)
	l.task.Parts = append(l.task.Parts, p)
}

// tests finds the folders and the script that grade p; dir is the step's folder or empty.
func (l *loading) tests(p *Part, dir string) {
	p.Mode = l.task.Config.VerifierMode(p.Step)
	if l.dir("tests") {
		p.Tests = append(p.Tests, "tests")
	}
	if own := path.Join(dir, "tests"); dir != "" && l.dir(own) {
		p.Tests = append(p.Tests, own)
	}
	if p.Mode == Separate && len(p.Tests) > 1 {
		p.Tests = p.Tests[1:]
	}
	script := scriptsOf(l.task.Config.Environment.OS).test
	for _, tests := range p.Tests {
		if rel := path.Join(tests, script); l.file(rel) {
			p.TestScript = rel
		}
	}
	if p.TestScript == "" {
		p.Scoring = l.scoring(p.Tests)
	}
	if p.Mode == Separate {
		l.separate(p, path.Join(dir, "tests"), script)
		return
	}
	if p.TestScript != "" || p.Scoring != "" {
		return
	}
	what := "the test script is missing"
	if dir != "" {
		what += "; neither " + path.Join(dir, "tests") + " nor tests holds it"
	}
	l.missing(path.Join(dir, "tests", script), what)
}

// ScoringNames are the names of a specification by which an answer is scored.
func ScoringNames() []string { return []string{"scoring.toml", "scoring.json"} }

// scoring finds the specification in the folders that make up /tests.
func (l *loading) scoring(tests []string) string {
	found := ""
	for _, dir := range tests {
		own := ""
		for _, name := range ScoringNames() {
			rel := path.Join(dir, name)
			if !l.file(rel) {
				continue
			}
			if own != "" {
				l.fault(rel, "there is "+path.Base(own)+" as well; keep one of them")
			}
			own = rel
		}
		if own != "" {
			found = own
		}
	}
	return found
}

// separate checks what a verifier's own container is made of.
func (l *loading) separate(p *Part, dir, script string) {
	env, source := l.task.Config.VerifierEnvironment(p.Step)
	if len(p.Tests) > 0 {
		dir = p.Tests[0]
		p.Verifier = l.definition(dir)
	}
	if p.Scoring != "" {
		return // it needs no container, or brings its image
	}
	if !p.Verifier.Dockerfile && !p.Verifier.Compose && env.DockerImage == "" {
		l.fault(dir, "a separate verifier needs a Dockerfile or docker-compose.yaml here, or a docker_image in task.toml "+source)
		return
	}
	if p.TestScript == "" {
		l.warn(MissingScript, path.Join(dir, script), 0, "the test script is missing; the verifier's image must hold it as /tests/"+script)
	}
}

// lint looks into each script once.
func (l *loading) lint() {
	names := scriptsOf(l.task.Config.Environment.OS)
	if names.test != "test.sh" {
		return
	}
	var test, other []string
	for _, p := range l.task.Parts {
		if p.TestScript != "" {
			test = append(test, p.TestScript)
		}
		if p.Solution != "" {
			solve := path.Join(p.Solution, names.solve)
			if l.file(solve) {
				other = append(other, solve)
			} else if p.Step != TaskLevel && p.Solution != "solution" {
				l.warn(MissingScript, solve, 0, "the oracle's script is missing, so the oracle cannot do this step")
			}
		}
		if p.Setup {
			other = append(other, path.Join(p.Workdir, "setup.sh"))
		}
	}
	for _, rel := range unique(test) {
		l.script(rel, true)
	}
	for _, rel := range unique(other) {
		l.script(rel, false)
	}
}

func unique(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}
