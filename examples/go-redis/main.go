// Command go-redis uses a cluster client of go-redis that follows the slot map
// as the server pushes it. It prints the whole map, then each range of slots
// that changes its owner, and sets and gets a key every second.
//
//	go run . [host:port]
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"slotcast/examples/go-redis/slots"
	slotmap "slotcast/examples/go-slotmap"
)

func main() {
	addr := "127.0.0.1:6379"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	client, err := slots.NewClusterClient(&redis.ClusterOptions{Addrs: []string{addr}}, func(what string, r slotmap.Range) {
		fmt.Println(what, r)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer client.Close()
	ctx := context.Background()
	for i := range time.Tick(time.Second) {
		key := fmt.Sprint("greeting:", i.Unix()%100)
		if err := client.Set(ctx, key, "hello", time.Minute).Err(); err != nil {
			fmt.Fprintln(os.Stderr, "SET:", err)
		} else if err := client.Get(ctx, key).Err(); err != nil {
			fmt.Fprintln(os.Stderr, "GET:", err)
		}
	}
}
