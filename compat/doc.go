// Package compat holds slotcast against the clients that people use, as they
// are released: it builds the program, starts it on ports of its own and runs
// each client against it as a process of its own.
//
// No client enters the module's dependencies. A library is driven by a small
// program in clients/<library>, beside the file that pins its version: a
// nested go.mod, a requirements.txt, or for a library of the distribution the
// version in the table of libraries_test.go. Every program speaks the same
// two lines of arguments and prints the same lines, so that one expectation
// holds for all libraries and a new one costs a program and a row in that
// table:
//
//	<program> commands <addr> <resp> <single|cluster>
//
// calls the library's own methods in the order of commands_test.go and prints
// one line for each, its name and what the user of the library gets. The same
// program runs against redis-server, which has to give the same lines.
//
//	<program> subscribe <addr> <resp> <single|cluster> <channel>...
//
// subscribes in one call, as a pattern where a name holds a '*', and prints
// "subscribed <channel>" for each confirmation, then for each message what the
// library hands to its user: "message <channel> <payload>" or
// "pmessage <pattern> <channel> <payload>", the payload as JSON, so that a
// string stands in quotes and a nested row as an array. It ends when its
// standard input does.
//
// A tool or library that a machine lacks leaves its tests out with a word on
// what is missing; with CI=true in the environment that is a failure.
package compat
