// Package verifier turns what a task's tests left behind into a verdict. It is pure: it is handed the raw bytes of the
// reward files and the outcome of the test script, and gives back data that goes into run.json as it is.
//
// Rewards are judged under version 1 of the rewards contract: reward.json is a flat object of finite numbers from 0 to 1,
// the key "reward" is the score, and without it the score is the plain mean of the others. Nothing that breaks a rule
// is ever turned into a score.
package verifier
