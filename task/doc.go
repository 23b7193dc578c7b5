// Package task reads a task folder in the Harbor format as data: a strict decoder for task.toml (schemas 1.0 to 1.4),
// the checks of the folder around it, the effective values of a step with the place that set them, templates of
// environment values, the search for task folders and a digest of their content.
//
// The package decides what a task says, never whether this program can run it: steps, separate verifiers,
// allow-lists, TPUs and Windows are all decoded and validated, and it is for others to refuse what they cannot honour.
// It reads files below the task's folder alone and follows no link that leads out of it.
package task
