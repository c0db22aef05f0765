package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/redis/rueidis"
)

func subscribe(ctx context.Context, c rueidis.Client, channels []string) {
	// Ends with the program.
	go func() {
		var cmd rueidis.Completed
		if strings.Contains(channels[0], "*") {
			cmd = c.B().Psubscribe().Pattern(channels...).Build()
		} else {
			cmd = c.B().Subscribe().Channel(channels...).Build()
		}
		ctx := rueidis.WithOnSubscriptionHook(ctx, func(s rueidis.PubSubSubscription) {
			fmt.Println("subscribed", s.Channel)
		})
		fail(c.Receive(ctx, cmd, func(m rueidis.PubSubMessage) {
			payload, err := json.Marshal(m.Message)
			check(err)
			if m.Pattern != "" {
				fmt.Println("pmessage", m.Pattern, m.Channel, string(payload))
			} else {
				fmt.Println("message", m.Channel, string(payload))
			}
		}))
	}()
	_, err := io.Copy(io.Discard, os.Stdin)
	check(err)
	os.Exit(0) // at once: a client that closes in order would fail the receiver
}
