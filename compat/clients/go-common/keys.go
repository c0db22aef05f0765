package driver

import (
	"fmt"
	"strconv"
)

// keys sets and reads keys of many slots.
func keys(store Store) {
	const count = 50
	for i := range count {
		Check(store.Set("key:"+strconv.Itoa(i), strconv.Itoa(i)))
	}
	for i := range count {
		value, err := store.Get("key:" + strconv.Itoa(i))
		Check(err)
		if value != strconv.Itoa(i) {
			Fail(fmt.Sprintf("key:%d is %q", i, value))
		}
	}
	fmt.Println("keys", count)
}
