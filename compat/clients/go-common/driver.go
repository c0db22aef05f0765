// Package driver is what the programs of all Go libraries have in common: the
// arguments, the lines and the tasks that package compat describes. A program
// brings the library.
package driver

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// A Library is one in the hands of its user.
type Library struct {
	// Connect returns a client of one node or of a cluster.
	Connect func(addr, resp, kind string) (Client, error)
	// Load returns a cluster client for a mode of the load task; nil if the
	// program has no such task.
	Load func(addr, resp, mode string) (Store, error)
	// Commands is the task of that name; nil if the program has none.
	Commands func(Client)
}

// A Client subscribes and keeps keys.
type Client interface {
	Store
	// Subscribe subscribes to channels, or to patterns, and passes what
	// comes to Subscribed, Message, PatternMessage and Failed, until it cannot
	// go on.
	Subscribe(channels []string, patterns bool) error
}

// A Store keeps keys.
type Store interface {
	Set(key, value string) error
	Get(key string) (string, error)
}

// Main runs the task that the arguments ask for.
func Main(library Library) {
	if len(os.Args) < 5 {
		Fail("usage: " + os.Args[0] + " subscribe|keys|load|commands|cache <addr> <resp> single|cluster [channel...|mode]")
	}
	task, addr, resp, kind, more := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5:]
	if task == "load" && library.Load != nil {
		store, err := library.Load(addr, resp, more[0])
		Check(err)
		load(store)
		return
	}
	client, err := library.Connect(addr, resp, kind)
	Check(err)
	switch {
	case task == "subscribe":
		go func() { Fail(client.Subscribe(more, strings.Contains(more[0], "*"))) }()
		untilStdinEnds()
		os.Exit(0) // at once: a client that closes in order would fail the subscriber
	case task == "keys":
		keys(client)
	case task == "commands" && library.Commands != nil:
		library.Commands(client)
	case task == "cache":
		cached, ok := client.(Cached)
		if !ok {
			Fail("no such task: " + task)
		}
		cache(cached)
	default:
		Fail("no such task: " + task)
	}
}

// Subscribed is a confirmation.
func Subscribed(channel string) { fmt.Println("subscribed", channel) }

// Message is a message to a channel.
func Message(channel string, payload any) { fmt.Println("message", channel, asJSON(payload)) }

// PatternMessage is a message to a channel that fits a pattern.
func PatternMessage(pattern, channel string, payload any) {
	fmt.Println("pmessage", pattern, channel, asJSON(payload))
}

// Failed is an error after which the library goes on.
func Failed(err error) { fmt.Println("error", strings.ReplaceAll(err.Error(), "\n", " ")) }

func asJSON(payload any) string {
	text, err := json.Marshal(payload)
	Check(err)
	return string(text)
}

// Say is a line of the commands task.
func Say(name string, value any) { fmt.Println(name, value) }

// Check ends the program at an error.
func Check(err error) {
	if err != nil {
		Fail(err)
	}
}

// Must is Check for what returns a value as well.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Fail ends the program.
func Fail(reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}

func untilStdinEnds() {
	_, err := io.Copy(io.Discard, os.Stdin)
	Check(err)
}
