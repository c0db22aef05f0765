package driver

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	workers  = 4
	loadKeys = 10000
)

// load has workers set and get random keys until the standard input ends.
func load(store Store) {
	var (
		stopped atomic.Bool
		working sync.WaitGroup // until each worker has had its first reply
		done    sync.WaitGroup
		results [workers]result
	)
	working.Add(workers)
	for i := range workers {
		done.Go(func() { results[i] = work(store, working.Done, &stopped) })
	}
	working.Wait()
	fmt.Println("loading")
	untilStdinEnds()
	stopped.Store(true)
	done.Wait()
	report(results[:])
}

// A result is what one worker has seen.
type result struct {
	took   []time.Duration // of each operation
	failed int
	errors map[string]bool
}

func work(store Store, started func(), stopped *atomic.Bool) result {
	r := result{errors: map[string]bool{}}
	for !stopped.Load() {
		key := "load:" + strconv.Itoa(rand.IntN(loadKeys))
		begin := time.Now()
		var err error
		if rand.IntN(2) == 0 {
			err = store.Set(key, key)
		} else {
			_, err = store.Get(key)
		}
		if len(r.took) == 0 {
			started()
		}
		r.took = append(r.took, time.Since(begin))
		if err != nil {
			r.failed++
			r.errors[err.Error()] = true
		}
	}
	return r
}

func report(results []result) {
	var took []time.Duration
	failed, errors := 0, map[string]bool{}
	for _, r := range results {
		took = append(took, r.took...)
		failed += r.failed
		for text := range r.errors {
			errors[text] = true
		}
	}
	slices.Sort(took)
	part := func(percent int) int64 { return took[(len(took)-1)*percent/100].Microseconds() }
	fmt.Println("operations", len(took))
	fmt.Println("errors", failed)
	fmt.Println("p50", part(50))
	fmt.Println("p99", part(99))
	fmt.Println("max", part(100))
	for text := range errors {
		fmt.Fprintln(os.Stderr, text)
	}
}
