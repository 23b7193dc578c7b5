// Package chaos holds tests that break the engine, the connection to it and the program itself while trials run.
package chaos
