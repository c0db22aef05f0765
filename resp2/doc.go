// Package resp2 is the wire form of RESP2, and of requests in either protocol.
//
// It owns three things. The append functions write replies and messages;
// package resp3 has the same names for RESP3, so a command is written once
// against either. Framer finds where a request ends, within limits, without
// looking at any byte twice. Parse gives the arguments of one such request.
//
// It promises that no input panics or makes it allocate more than a small
// multiple of what has arrived, and that requests and protocol errors are those
// of Redis 7.0, byte for byte. Parsing is redcon's, behind the Framer, because
// redcon's reader alone has no limits and fails on hostile lengths.
//
// The functions are safe for concurrent use; a Framer belongs to one
// connection.
package resp2
