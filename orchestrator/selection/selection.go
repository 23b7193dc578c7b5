// Package selection chooses some of the tasks that were found, by what a person asks for. It is pure: it reads no file.
package selection

// Selection is what a person asks for. The zero value is all tasks. A task is chosen when every field that is set lets it through; the fields are looked at in
// their order, and Limit comes last.
type Selection struct {
	// Datasets are the datasets that are taken from registry files, as NAME or NAME@VERSION.
	Datasets []string `json:"datasets,omitempty"`
	// Tasks are patterns, of which one must match one of the task's names; Exclude are patterns of which none may.
	Tasks   []string `json:"tasks,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	// Tags are tags of which the task must have one; ExcludeTags are tags of which it may have none.
	Tags        []string `json:"tags,omitempty"`
	ExcludeTags []string `json:"exclude_tags,omitempty"`
	// Shard is the part of all tasks that is meant, or nil.
	Shard *Shard `json:"shard,omitempty"`
	// Limit is how many tasks are taken at most, in the order in which they were found; 0 = all.
	Limit int `json:"limit,omitempty"`
}

// Given says that something is asked for beyond all tasks.
func (s *Selection) Given() bool { return s.Filters() || len(s.Datasets) > 0 }

// Filters says that some of the tasks that are found may not be chosen.
func (s *Selection) Filters() bool {
	return len(s.Tasks)+len(s.Exclude)+len(s.Tags)+len(s.ExcludeTags) > 0 || s.Shard != nil || s.Limit > 0
}

// Candidate is a task that may be chosen.
type Candidate struct {
	// Names are all that the task is known by; the first is what a person is shown.
	Names []string
	// Key decides the shard. It depends on this task alone, so that other tasks may come and go.
	Key string
	// Tags are the task's own, as far as they can be read.
	Tags []string
}
