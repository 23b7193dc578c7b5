//go:build linux

// Command seatrial-shim is the helper that seatrial runs inside containers. It is static and needs nothing from the
// image: no shell, no users, no libraries.
package main

import (
	"os"
)

func main() { os.Exit(start(os.Args[1:])) }

// Exit codes that the helper gives by itself.
const (
	exitUsage      = 64  // EX_USAGE of sysexits(3)
	exitGone       = 74  // EX_IOERR: nobody takes our output any more
	exitCannotRun  = 126 // as a shell has it
	exitNotFound   = 127 // as a shell has it
	exitSignalBase = 128
)

func start(args []string) int {
	if len(args) == 0 {
		return usage()
	}
	verb, args := args[0], args[1:]
	switch verb {
	case "init":
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		return initProcess(args)
	case "hold":
		return hold()
	case "run":
		return run(args)
	case "drain":
		return drain(args)
	case "pack":
		return pack(args)
	case "drop":
		return drop(args)
	default:
		return usage()
	}
}

func usage() int {
	complain("usage: seatrial-shim init [-- COMMAND...] | hold | run SPEC | drain FD... | pack LIST | drop LIST")
	return exitUsage
}

// complain writes one line to standard error, which the engine shows.
func complain(line string) { _, _ = os.Stderr.WriteString("seatrial: " + line + "\n") }
