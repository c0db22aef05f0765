package driver

import (
	"bufio"
	"fmt"
	"os"
)

// A Cached client answers from its own memory what it has read before, until
// the server tells it of a change.
type Cached interface {
	// Cached returns a value, and whether the server was not asked for it.
	Cached(key string) (value string, hit bool, err error)
}

// cache reads the keys that standard input names, a line each.
func cache(client Cached) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		value, hit, err := client.Cached(lines.Text())
		Check(err)
		from := "server"
		if hit {
			from = "cache"
		}
		fmt.Println(from, value)
	}
}
