// Command go-redis follows the slot map of a cluster from the channel
// __cluster-slots__:json. It prints the whole map, then each range of slots
// that changes its owner.
//
//	go run . [host:port]
//
// The bare channel __cluster-slots__ carries nested arrays, which go-redis
// cannot read from a message; the channels that end in :json carry the same
// rows as text.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/redis/go-redis/v9"
)

func main() {
	addr := "127.0.0.1:6379"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := watch(context.Background(), addr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// watch keeps a map and prints what changes in it.
func watch(ctx context.Context, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer client.Close()

	// Both channels in one command: the map as it is, and then every change
	// after it. go-redis subscribes to them again when it has to reconnect, so
	// the map comes again too and makes up for what was missed.
	const changes, snapshot = "__cluster-slots__:json", "__cluster-slots__:snapshot:json"
	sub := client.Subscribe(ctx, changes, snapshot)
	defer sub.Close()

	slots := slotMap{fallback: host}
	for message := range sub.Channel() {
		what, rows := "change", []row{{}}
		if message.Channel == snapshot {
			what, rows = "map", nil
			err = decode(message.Payload, &rows)
			slots.clear()
		} else {
			err = decode(message.Payload, &rows[0])
		}
		if err != nil {
			return err
		}
		for _, r := range rows {
			owner := slots.apply(r)
			if owner == "" {
				owner = "nobody"
			}
			fmt.Printf("%s %d-%d %s\n", what, r.first, r.last, owner)
		}
	}
	return nil
}
