// Command rueidis uses a cluster client of rueidis that goes by the slot map as
// the server pushes it. It prints the whole map, then each range of slots that
// changes its owner, and sets and gets a key every second.
//
//	go run . [host:port]
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/redis/rueidis"

	slotmap "slotcast/examples/go-slotmap"
	"slotcast/examples/rueidis/slots"
)

func main() {
	addr := "127.0.0.1:6379"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	option := rueidis.ClientOption{InitAddress: []string{addr}, ShuffleInit: true, DisableCache: true}
	client, err := slots.NewClient(option, func(what string, r slotmap.Range) { fmt.Println(what, r) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer client.Close()
	for now := range time.Tick(time.Second) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		key := fmt.Sprint("greeting:", now.Unix()%100)
		if err := client.Do(ctx, client.B().Set().Key(key).Value("hello").ExSeconds(60).Build()).Error(); err != nil {
			fmt.Fprintln(os.Stderr, "SET:", err)
		} else if err := client.Do(ctx, client.B().Get().Key(key).Build()).Error(); err != nil {
			fmt.Fprintln(os.Stderr, "GET:", err)
		}
		cancel()
	}
}
