package server

import (
	"fmt"
	"strings"
)

// ToolError says that a tool cannot be shown over MCP.
type ToolError struct {
	Server, Tool string
	Cause        error
}

// Error implements error.
func (e *ToolError) Error() string {
	return fmt.Sprintf("server %s: tool %q cannot be served over MCP: %v", e.Server, e.Tool, e.Cause)
}

// Unwrap returns the cause.
func (e *ToolError) Unwrap() error { return e.Cause }

// ConfigError lists all that is wrong with how the sidecar was started.
type ConfigError struct {
	Problems []string
}

// Error implements error.
func (e *ConfigError) Error() string {
	return "the fakes cannot be started:\n  " + strings.Join(e.Problems, "\n  ")
}

// ControlError is a refusal of the control plane.
type ControlError struct {
	Verb, Message string
}

// Error implements error.
func (e *ControlError) Error() string { return fmt.Sprintf("%s: %s", e.Verb, e.Message) }

// FrozenError says that something was asked of fakes that are frozen.
type FrozenError struct {
	What string
}

// Error implements error.
func (e *FrozenError) Error() string {
	return e.What + " is not possible any more: the fakes are frozen and their evidence is complete"
}

// StepNameError says that a step's name cannot be part of a file's name, or is taken.
type StepNameError struct {
	Name  string
	Taken bool
}

// Error implements error.
func (e *StepNameError) Error() string {
	if e.Taken {
		return fmt.Sprintf("there is a snapshot of step %q already", e.Name)
	}
	return fmt.Sprintf("%q is no name for a step: letters, digits, '.', '_' and '-', at most 64, not starting with a dot", e.Name)
}
