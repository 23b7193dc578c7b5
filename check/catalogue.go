package check

import "slices"

// Kinds is the catalogue: every code that a finding can have, sorted by code within what it is about. docs/checks.md describes each.
func Kinds() []Kind { return slices.Concat(StaticKinds(), suiteKinds(), liveKinds()) }

// StaticKinds are those that are found in a task by itself, without an engine.
func StaticKinds() []Kind { return slices.Concat(folderKinds(), fileKinds(), scriptKinds()) }

// KindOf is the catalogue's entry for a code.
func KindOf(code string) Kind {
	for _, k := range Kinds() {
		if k.Code == code {
			return k
		}
	}
	return Kind{Code: code, Severity: Error}
}

// folderKinds are about folders and how tasks go together.
func folderKinds() []Kind {
	return []Kind{
		{"bad_name", Error, "The folder cannot be used", "Rename the folder, or make it readable."},
		{"case_unnamed", Note, "The task names no case", "Name it with [metadata.eval] case, so that records stay comparable when the folder is renamed."},
		{"compose", Warning, "Something in the compose file is read otherwise than it may be meant", "See the message; docs/task-format.md says what is honoured."},
		{"duplicate_case", Error, "Two tasks are one case", "Give each a case of its own with [metadata.eval] case."},
		{"missing_folder", Warning, "environment/ is missing", "Make the folder, since other tools do not take this for a task without it."},
		{"no_solution", Note, "The task has no solution", "Add solution/solve.sh, so that the tests can be checked against work that is right."},
		{"plan_failed", Error, "No trial of the task can be planned", "See the message."},
		{"unsupported", Error, "The task asks for something that is not run", "Do without it, or allow it with the flag that the message names."},
		{"variable_missing", Error, "A variable of the host is not set", "Set it, or give the template a default as in ${NAME:-default}."},
	}
}

// fileKinds are about task.toml and the task's other files, scripts aside.
func fileKinds() []Kind {
	return []Kind{
		{"byte_order_mark", Warning, "A file starts with a byte order mark", "Save it as UTF-8 without one."},
		{"coerced_value", Warning, "A value of another type was converted", "Write the value with the type that the key has."},
		{"compose_invalid", Error, "The compose file is wrong", "See the message; docs/task-format.md says what is honoured."},
		{"config_invalid", Error, "task.toml, or the folder, is wrong", "See the message; docs/task-format.md lists every key."},
		{"fakes_invalid", Error, "A declaration of the fakes is wrong", "See the message; docs/fakes.md lists every key."},
		{"ignored_key", Warning, "A key has no effect here", "Remove it, or put it where it has one."},
		{"misplaced_key", Warning, "A key stands under [metadata], where nothing reads it", "Move it to the table that the message names; root keys go before the first [table]."},
		{"schema_version", Warning, "The schema version is one that nobody knows", "Declare one from 1.0 to 1.4."},
		{"scoring_invalid", Error, "The scoring specification is wrong", "See the message; docs/scoring.md lists every key."},
		{"tests_in_image", Error, "The agent can read the tests or the solution", "Leave them out of the image and of what is mounted; they are put into the container when the agent has ended."},
		{"time_ungated", Warning, "Time scores whatever was answered", "Say with requires_score which other dimension must be above 0."},
		{"unknown_key", Warning, "Nothing reads a key", "Remove it, or put free text under [metadata]."},
		{"unread_file", Warning, "A file has nearly a name that is read", "Rename it as the message says."},
	}
}

// scriptKinds are about the task's scripts.
func scriptKinds() []Kind {
	return []Kind{
		{"crlf", Error, "A script has Windows line endings", "Convert it to LF, and keep it so with `*.sh text eol=lf` in .gitattributes."},
		{"hidden_exit", Warning, "A pipe hides the exit code that decides the reward", "Write set -o pipefail above it, or ask PIPESTATUS."},
		{"limit_impossible", Warning, "A limit cannot be met", "Raise the limit that the message names, or shorten what runs under it."},
		{"missing_interpreter", Error, "What is to run a script is not there", "Correct the first line, or install the program in the Dockerfile."},
		{"missing_script", Warning, "A script is missing", "Add it, or see that the image holds it."},
		{"network_at_grading", Note, "Grading fetches from the network", "Install what the tests need in the image, so that a network that fails cannot fail the grading."},
		{"no_shebang", Warning, "A script does not start with \"#!\"", "Start it with a line such as #!/bin/bash."},
		{"reward_before_checks", Error, "A reward is written before the checks have run", "Write 0 first, and the reward only once everything has passed."},
		{"reward_is_count", Warning, "A reward is a count", "Write a fraction from 0 to 1, and counts into reward-details.json; or declare [metadata.eval] rewards = \"harbor\"."},
		{"reward_never_written", Warning, "Nothing in the tests writes a reward", "Write /logs/verifier/reward.json or reward.txt in every case."},
		{"script_syntax", Error, "A script cannot be read by its shell", "Correct it; `bash -n` shows the same place."},
		{"set_e_without_reward", Warning, "A test that fails ends the script before it writes a reward", "Write 0 before the tests run, or test their exit code with `if`, or write the reward in an EXIT trap."},
	}
}
