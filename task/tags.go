package task

import "slices"

// maxTags is how many tags of a task are kept.
const maxTags = 100

// Tags are the texts in the list [metadata] tags, and the task's keywords: sorted, each once. [metadata] is free, so what is no text there is no fault.
func (c *Config) Tags() []string {
	all := slices.Clone(c.Task.Keywords)
	if list, ok := c.Metadata["tags"].([]any); ok {
		for _, v := range list {
			if s, ok := v.(string); ok {
				all = append(all, s)
			}
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" || hasControl(s) })
	for i, s := range all {
		all[i] = clip(s)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxTags)]
}
