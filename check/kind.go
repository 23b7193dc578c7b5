package check

// Kind is what all findings of one code have in common.
type Kind struct {
	Code     string
	Severity Severity
	// Title says in a few words what is found.
	Title string
	// Remedy is what to do, where a finding does not say it better itself.
	Remedy string
}
