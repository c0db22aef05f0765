// Command radix-4 drives radix; package compat says what it is asked to do and
// what it prints.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mediocregopher/radix/v4"
	"github.com/mediocregopher/radix/v4/resp"

	driver "slotcast/compat/clients/go-common"
)

func main() { driver.Main(driver.Library{Connect: connect}) }

type client struct {
	radix.MultiClient
	dialer radix.Dialer
	addr   func() (string, error) // of a node to subscribe on
}

func connect(addr, protocol, kind string) (driver.Client, error) {
	ctx := context.Background()
	dialer := radix.Dialer{}
	if protocol == "3" {
		dialer.Protocol = "3"
	}
	pool := radix.PoolConfig{Dialer: dialer}
	if kind == "cluster" {
		cluster, err := radix.ClusterConfig{PoolConfig: pool}.New(ctx, []string{addr})
		if err != nil {
			return nil, err
		}
		return client{cluster, dialer, func() (string, error) {
			for _, node := range cluster.Topo() {
				return node.Addr, nil
			}
			return "", errors.New("the cluster has no node")
		}}, nil
	}
	single, err := pool.New(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return client{radix.NewMultiClient(radix.ReplicaSet{Primary: single}), dialer, func() (string, error) { return addr, nil }}, nil
}

func (c client) Set(key, value string) error {
	return c.Do(context.Background(), radix.Cmd(nil, "SET", key, value))
}

func (c client) Get(key string) (value string, err error) {
	err = c.Do(context.Background(), radix.Cmd(&value, "GET", key))
	return value, err
}

// Subscribe wraps a connection of its own, as the library's documentation
// does. A cluster client has no way of its own to subscribe.
func (c client) Subscribe(channels []string, patterns bool) error {
	ctx := context.Background()
	addr, err := c.addr()
	if err != nil {
		return err
	}
	conn, err := c.dialer.Dial(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	var id string
	if err := conn.Do(ctx, radix.Cmd(&id, "CLIENT", "ID")); err != nil {
		return err
	}
	sub := radix.PubSubConfig{}.New(conn)
	subscribe := sub.Subscribe
	if patterns {
		subscribe = sub.PSubscribe
	}
	if err := subscribe(ctx, channels...); err != nil {
		return err
	}
	if err := c.awaitSubscriptions(ctx, addr, id, len(channels)); err != nil {
		return err
	}
	for _, channel := range channels {
		driver.Subscribed(channel)
	}
	for {
		m, err := sub.Next(ctx)
		switch {
		case errors.As(err, new(resp.ErrConnUsable)):
			driver.Failed(err)
		case err != nil:
			return err
		case m.Type == "pmessage":
			driver.PatternMessage(m.Pattern, m.Channel, string(m.Message))
		default:
			driver.Message(m.Channel, string(m.Message))
		}
	}
}

// awaitSubscriptions asks the server, on another connection, until one has so
// many subscriptions: Subscribe returns when the command is sent, and the library
// keeps confirmations to itself.
func (c client) awaitSubscriptions(ctx context.Context, addr, id string, count int) error {
	conn, err := c.dialer.Dial(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	for line := ""; ; {
		if err := conn.Do(ctx, radix.Cmd(&line, "CLIENT", "LIST", "ID", id)); err != nil {
			return err
		}
		if strings.Contains(line, fmt.Sprintf("sub=%d ", count)) {
			return nil
		}
	}
}
