// Package compat holds slotcast against the clients that people use, as they
// are released: it builds the program, starts it on ports of its own and runs
// each client against it as a process of its own.
//
// No client enters the module's dependencies. A library is driven by a small
// program in clients/<library>-<major>, beside the files that pin its version:
// go.mod and go.sum, package.json and its lock, a requirements.txt with
// hashes, a pom.xml, Cargo.toml and its lock, or for a library of the
// distribution the version in the table. Code that the programs of one
// ecosystem share stands once, in clients/<ecosystem>-common. A library costs
// a program and a row in the table of its ecosystem, which is in
// <ecosystem>_test.go.
//
// What the Go command does not build itself is installed outside of the tree by
// .ci/clients.d/<ecosystem>, into ${SLOTCAST_CLIENTS:-~/.cache/slotcast/clients}
// by the library's name. The script ends at once when all is there as the
// pinned files, and the sources of what it builds, have it; told "check" it
// installs nothing and fails if something is missing or old. Tests ask it so
// before they use what it installed.
//
// # What a program does
//
// All programs take the same arguments and print the same lines, so that one
// expectation holds for all. They use the library in its ordinary, documented
// way, with nothing set but the address (host:port, the seed of a cluster
// client) and the protocol (2 or 3), and show what the library's user gets:
// nothing of the library is mended in them.
//
//	<program> subscribe <addr> <resp> single|cluster <channel>...
//
// subscribes in one call, as patterns if the first name holds a '*', with the
// kind of listener that the library's documentation shows first. It prints
//
//	subscribed <channel>                      for each confirmation
//	message <channel> <payload>               for each message
//	pmessage <pattern> <channel> <payload>
//	error <text>                              for each error that the user is told of
//
// The payload is what the user is handed, as JSON without spaces: a string in
// quotes, a nested row as an array, a map as an object. Where the library keeps confirmations
// to itself, "subscribed" is printed when its call returns. A library's error
// which ends a program in the hands of an ordinary user ends this one too, with
// a status that is not zero: a panic, an exception that nobody catches. The
// program ends well when its standard input does.
//
//	<program> keys <addr> <resp> single|cluster
//
// sets key:0 to key:49 to their numbers, reads them back, prints "keys 50" and
// ends. With "single" the server owns all slots.
//
//	<program> load <addr> <resp> cluster off|on|smigrated
//
// has four workers of one client set and get, each time at random one or the
// other, the keys load:0 to load:9999, until its standard input ends. It prints
// "loading" when all work, and at the end
//
//	operations <n>
//	errors <n>
//	p50 <microseconds of an operation>
//	p99 <microseconds>
//	max <microseconds>
//
// and each distinct text of an error on standard error. With "off" the library
// is as it comes, what it knows of pushes switched off; with "on" it is helped
// by the recipe of examples/<library>, which the program imports; with
// "smigrated" it follows the server's SMIGRATED notifications by itself.
//
//	<program> commands <addr> <resp> single|cluster
//
// calls the library's own methods in the order of compat_test.go and prints one
// line for each, its name and what the user of the library gets. The same
// program runs against redis-server, which has to give the same lines. Only
// some programs have this task.
//
//	<program> cache <addr> 3 single|cluster
//
// reads the keys that its standard input names, a line each, through the
// library's client-side cache, and prints "server <value>" or "cache <value>" by
// where it came from. Only libraries with such a cache have this task.
//
// # Cells
//
// A cell is a library, a protocol, a kind of client and a channel. What its
// user is handed stands in cells.txt for all of them, and is tested against a
// cluster in which a slot moves: a cell that has become worse fails, and one
// that has become better as well, so that the file is always true.
//
// A tool or library that a machine lacks leaves its tests out with a word on
// what is missing; with CI=true in the environment that is a failure.
package compat
