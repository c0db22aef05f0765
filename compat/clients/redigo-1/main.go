// Command redigo-1 drives redigo, and with it redisc, which makes a cluster
// client of redigo's connections; package compat says what it is asked to do and
// what it prints.
package main

import (
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/mna/redisc"

	driver "slotcast/compat/clients/go-common"
)

func main() { driver.Main(driver.Library{Connect: connect, Load: load}) }

// A client gets its connections from a pool: one for commands, which finds
// its way in a cluster, and one to subscribe.
type client struct {
	get       func() (redis.Conn, error)
	dedicated func() (redis.Conn, error)
}

// connect has no protocol to choose: the library speaks RESP2 alone.
func connect(addr, _, kind string) (driver.Client, error) {
	if kind == "single" {
		pool := &redis.Pool{Dial: func() (redis.Conn, error) { return redis.Dial("tcp", addr) }}
		get := func() (redis.Conn, error) { return pool.Get(), nil }
		return client{get: get, dedicated: get}, nil
	}
	cluster := &redisc.Cluster{StartupNodes: []string{addr}, CreatePool: createPool}
	if err := cluster.Refresh(); err != nil {
		return nil, err
	}
	return client{
		get:       func() (redis.Conn, error) { return redisc.RetryConn(cluster.Get(), 3, 100*time.Millisecond) },
		dedicated: cluster.Dial,
	}, nil
}

func createPool(addr string, options ...redis.DialOption) (*redis.Pool, error) {
	return &redis.Pool{MaxIdle: 10, Dial: func() (redis.Conn, error) { return redis.Dial("tcp", addr, options...) }}, nil
}

func (c client) Set(key, value string) error {
	conn, err := c.get()
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Do("SET", key, value)
	return err
}

func (c client) Get(key string) (string, error) {
	conn, err := c.get()
	if err != nil {
		return "", err
	}
	defer conn.Close()
	return text(conn.Do("GET", key))
}

// text is a value that may be missing.
func text(reply any, err error) (string, error) {
	value, err := redis.String(reply, err)
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return value, err
}

func (c client) Subscribe(channels []string, patterns bool) error {
	conn, err := c.dedicated()
	if err != nil {
		return err
	}
	sub := redis.PubSubConn{Conn: conn}
	subscribe := sub.Subscribe
	if patterns {
		subscribe = sub.PSubscribe
	}
	if err := subscribe(redis.Args{}.AddFlat(channels)...); err != nil {
		return err
	}
	for {
		switch m := sub.Receive().(type) {
		case redis.Subscription:
			driver.Subscribed(m.Channel)
		case redis.Message:
			if m.Pattern != "" {
				driver.PatternMessage(m.Pattern, m.Channel, string(m.Data))
			} else {
				driver.Message(m.Channel, string(m.Data))
			}
		case error:
			if conn.Err() != nil { // of the connection, not of this message alone
				return m
			}
			driver.Failed(m)
		}
	}
}
