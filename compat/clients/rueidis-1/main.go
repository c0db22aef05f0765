// Command rueidis-1 drives rueidis; package compat says what
// it is asked to do and what it prints.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/redis/rueidis"
)

func main() {
	if len(os.Args) < 5 {
		fail("usage: rueidis-1 commands|subscribe <addr> <resp> single|cluster [channel...]")
	}
	what, addr, resp, kind, channels := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5:]
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress:       []string{addr},
		AlwaysRESP2:       resp == "2",
		ForceSingleClient: kind == "single",
		DisableCache:      true, // without CLIENT TRACKING
	})
	check(err)
	defer client.Close()
	ctx := context.Background()
	switch what {
	case "commands":
		commands(ctx, client)
	case "subscribe":
		subscribe(ctx, client, channels)
	default:
		fail("no such task: " + what)
	}
}

func say(name string, value any) { fmt.Println(name, value) }

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}
