package check

// suiteKinds are about suites: their cases, the tasks that implement them, and where all of it lies.
func suiteKinds() []Kind {
	return []Kind{
		{"case_id_invalid", Error, "The name of a case file is no case id", "Rename it: up to 128 lower-case letters, digits, \".\", \"_\" and \"-\", the first a letter or digit."},
		{"case_missing", Error, "The case that a task names is not there", "Write the file of the case, or name the right one with [metadata.eval] case."},
		{"case_uncovered", Note, "No task implements a case", "Write a task that names it with [metadata.eval] case, or remove it."},
		{"eval_file_outside", Warning, "An eval's file lies outside of every folder for such", "Move it, or say in package.json with pi.evals where such files lie."},
		{"eval_path_invalid", Error, "package.json says wrongly where the parts of the suite lie", "Correct it as the message says; docs/suites.md lists the keys."},
		{"implementation_without_config", Error, "A folder of implementations has one without a task.toml", "Give it a task.toml, or move it elsewhere, such as to lib/."},
		{"legacy_id_clash", Error, "The legacy id of a task is the case of another", "Rename one of them, so that older records can be told apart."},
		{"suite_unreadable", Error, "A folder of the suite cannot be looked into", "Make it readable."},
		{"unknown_eval_key", Warning, "Nothing reads a key of pi.evals in package.json", "Remove it; docs/suites.md lists the keys."},
	}
}

// clashRemedy is what to do about two tasks for one case.
const clashRemedy = "Give each a case of its own with [metadata.eval] case."

// suiteFinding files a finding with what suiteKinds says of its code.
func suiteFinding(f Finding) Finding {
	for _, k := range suiteKinds() {
		if k.Code == f.Code {
			f.Severity, f.Remedy = k.Severity, k.Remedy
		}
	}
	return f
}
