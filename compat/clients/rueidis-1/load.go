package main

import (
	"fmt"

	"github.com/redis/rueidis"

	driver "slotcast/compat/clients/go-common"
	"slotcast/examples/rueidis/slots"
)

func load(addr, resp, mode string) (driver.Store, error) {
	option := rueidis.ClientOption{InitAddress: []string{addr}, AlwaysRESP2: resp == "2", DisableCache: true}
	switch mode {
	case "off":
		c, err := rueidis.NewClient(option)
		return client{c}, err
	case "on":
		c, err := slots.NewClient(option, nil)
		return client{c}, err
	}
	return nil, fmt.Errorf("no such mode: %s", mode)
}
