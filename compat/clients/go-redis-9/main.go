// Command go-redis-9 drives go-redis; package compat says what it is asked to
// do and what it prints.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"
)

func main() {
	if len(os.Args) < 5 {
		fail("usage: go-redis-9 commands|subscribe <addr> <resp> single|cluster [channel...]")
	}
	what, addr, resp, kind, channels := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5:]
	client := connect(addr, resp, kind)
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

// connect is the client as its documentation creates it: nothing is set but
// the address and the protocol.
func connect(addr, resp, kind string) redis.UniversalClient {
	protocol, err := strconv.Atoi(resp)
	check(err)
	if kind == "cluster" {
		return redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{addr}, Protocol: protocol})
	}
	return redis.NewClient(&redis.Options{Addr: addr, Protocol: protocol})
}

func say(name string, value any) { fmt.Println(name, value) }

// list is a row of replies, with nil for what is not there.
func list(values []any) string {
	return fmt.Sprint(slices.Collect(func(yield func(any) bool) {
		for _, v := range values {
			if v == nil {
				v = "nil"
			}
			if !yield(v) {
				return
			}
		}
	}))
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}
