// Package e2e runs the built program as a user does, on a real engine, and looks at what it leaves: the exit code, the console, the run's
// folder, and the engine. It holds tests only.
package e2e
