// Command redigo uses a cluster client of redigo and redisc that goes by the slot
// map as the server pushes it. It prints the whole map, then each range of slots
// that changes its owner, and sets and gets a key every second.
//
//	go run . [host:port]
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/gomodule/redigo/redis"

	slotmap "slotcast/examples/go-slotmap"
	"slotcast/examples/redigo/slots"
)

func main() {
	addr := "127.0.0.1:6379"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	cluster, err := slots.New(addr, nil, func(what string, r slotmap.Range) { fmt.Println(what, r) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer cluster.Close()
	for now := range time.Tick(time.Second) {
		key := fmt.Sprint("greeting:", now.Unix()%100)
		if _, err := cluster.Do("SET", key, "hello", "EX", 60); err != nil {
			fmt.Fprintln(os.Stderr, "SET:", err)
		} else if _, err := redis.String(cluster.Do("GET", key)); err != nil {
			fmt.Fprintln(os.Stderr, "GET:", err)
		}
	}
}
