package main

import (
	"fmt"

	driver "slotcast/compat/clients/go-common"
	"slotcast/examples/redigo/slots"
)

func load(addr, resp, mode string) (driver.Store, error) {
	switch mode {
	case "off":
		return connect(addr, resp, "cluster")
	case "on":
		c, err := slots.New(addr, nil, nil)
		return following{c}, err
	}
	return nil, fmt.Errorf("no such mode: %s", mode)
}

// A following client goes by the recipe.
type following struct{ *slots.Cluster }

func (f following) Set(key, value string) error {
	_, err := f.Do("SET", key, value)
	return err
}

func (f following) Get(key string) (string, error) { return text(f.Do("GET", key)) }
