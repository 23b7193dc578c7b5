package check

// liveKinds are about what trying out a task's tests shows.
func liveKinds() []Kind {
	return []Kind{
		{"flaky_rewards", Warning, "The same work gets different rewards", "Take chance and time out of what is rewarded."},
		{"flaky_verdict", Error, "The same work is judged in different ways", "Take chance, time and the network out of the tests."},
		{"live_disturbed", Warning, "The machine kept the tests from a verdict", "Look at the engine with `seatrial doctor`, and try again."},
		{"live_incomplete", Error, "The tests come to no verdict", "See to it that the tests end and write a valid reward whatever they find; the trial's folder has their output."},
		{"probe_wrong", Error, "The tests judge a probe otherwise than it says", "Mend the tests, or what the probe expects."},
		{"reference_fails", Error, "The task's own solution does not reach its bar", "Mend the solution or the tests; where the solution need not be perfect, say so with [metadata.eval] reference_bar."},
		{"reference_missing", Warning, "There is no solution to try the tests with", "Add solution/solve.sh: without it nobody knows that the task can be solved."},
		{"start_passes", Error, "The tests pass although nothing was done", "Make the tests look for what the instruction asks for, so that an untouched start fails."},
	}
}
