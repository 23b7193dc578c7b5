// Package orchestrator plans trials, carries them out and records them: it is the flow from a task's folder to run.json.
package orchestrator

import (
	"maps"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/task"
)

// Where the agent finds its instruction, and how large it may be to be given in a variable as well: Linux takes at most 128 KiB for one.
const (
	instructionFile = ownDir + "/instruction.md"
	serversFile     = ownDir + "/mcp_servers.json"
	maxEnvText      = 100 << 10
)

// toldEnv names the servers that the agent, or the solution, may use.
func toldEnv(p *Plan) map[string]string {
	env := map[string]string{}
	if servers := p.mcpServers(); len(servers) > 0 {
		env["SEATRIAL_MCP_SERVERS"] = toldServers(servers)
	}
	if urls := p.httpServers(); urls != "" {
		env["SEATRIAL_HTTP_SERVERS"] = urls
	}
	return env
}

// agentEnv is what an agent finds in its environment besides what the task sets.
func (t *trial) agentEnv() map[string]string {
	p, text := t.plan, t.step.plan.Part.Instruction
	env := map[string]string{
		"SEATRIAL_INSTRUCTION_FILE": instructionFile,
		"SEATRIAL_TASK":             p.Task.Name,
		"SEATRIAL_LOGS":             "/logs/agent",
	}
	if len(p.mcpServers()) > 0 {
		env["SEATRIAL_MCP_SERVERS_FILE"] = serversFile
	}
	if dir := p.Task.Config.Environment.SkillsDir; dir != "" {
		env["SEATRIAL_SKILLS_DIR"] = dir
	}
	if len(text) <= maxEnvText && !strings.ContainsRune(text, 0) {
		env["SEATRIAL_INSTRUCTION"] = text
	}
	if p.Agent.Model != "" {
		env["SEATRIAL_MODEL"] = p.Agent.Model
	}
	if p.MultiStep() {
		env["SEATRIAL_STEP"] = t.stepName()
		env["SEATRIAL_STEP_NUMBER"], env["SEATRIAL_STEPS"] = strconv.Itoa(t.step.plan.Part.Step+1), strconv.Itoa(len(p.Steps))
		if t.step.plan.Part.Step > 0 && !p.FreshSteps {
			env["SEATRIAL_CONTINUE"] = "1"
		}
	}
	maps.Copy(env, toldEnv(p))
	return env
}

// programs returns the program that a shell command needs first, when that can be told for sure: a plain word that is neither
// a shell's own nor an assignment. That it is missing then means that the agent could not be started, rather than that it failed.
func programs(command string) []string {
	word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if word == "" || strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./+", r)
	}) >= 0 {
		return nil
	}
	if shellWords()[word] {
		return nil
	}
	return []string{word}
}

// shellWords are the reserved words and built-in commands of POSIX shells and bash.
func shellWords() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`if then else elif fi case esac for select while until do done in function time coproc
		alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec
		exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
		readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait . :`) {
		words[w] = true
	}
	return words
}

// userOf resolves the user for commands of a phase: the task's, else the container's.
func userOf(o task.Opt[string], container string) string { return o.Or(container) }
