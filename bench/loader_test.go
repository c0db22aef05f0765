//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"slotcast/clusterstate"
)

// TestMain lets this binary be the program that -measure reshard runs, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 6 && os.Args[1] == "load" {
		if err := runLoader(os.Args[2], os.Args[5]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// loadedSlots are those whose keys the loader wants, so that it runs into every
// one that moves.
const loadedSlots = 30

// loader is a cluster client as small as can be. It reads the map once, with the
// push (mode on) never again, and without it (off) once more for every MOVED.
type loader struct {
	mu     sync.Mutex // guards owners
	owners [clusterstate.Slots]string
	resync bool
}

func runLoader(addr, mode string) error {
	l := &loader{resync: mode == "off"}
	switch mode {
	case "off", "on":
	default:
		return errors.New("no such mode: " + mode)
	}
	if mode == "on" {
		rows, err := dial("tcp", addr)
		if err != nil {
			return err
		}
		if _, err := ask(rows, appendCommand(nil, "SUBSCRIBE", "__cluster-slots__:moved"), 1); err != nil {
			return err
		}
		go l.follow(rows) // ends with the process
	}
	if err := l.load(addr); err != nil {
		return err
	}
	var keys []string
	for k := range reshardKeys {
		if key := "load:" + strconv.Itoa(k); clusterstate.KeySlot([]byte(key)) < loadedSlots {
			keys = append(keys, key)
		}
	}
	stop := make(chan struct{})
	var latency histogram
	failures := map[string]int{}
	var mu sync.Mutex // guards latency and failures
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() { // ends with stop
			own, failed := l.work(keys, stop)
			mu.Lock()
			defer mu.Unlock()
			latency.merge(own)
			for text, n := range failed {
				failures[text] += n
			}
		})
	}
	fmt.Println("loading")
	io.Copy(io.Discard, os.Stdin)
	close(stop)
	workers.Wait()
	errs := 0
	for _, text := range slices.Sorted(maps.Keys(failures)) {
		errs += failures[text]
		fmt.Fprintln(os.Stderr, text)
	}
	fmt.Printf("operations %d\nerrors %d\np50 %.0f\np99 %.0f\nmax %d\n", latency.count, errs,
		latency.quantile(0.5)/1000, latency.quantile(0.99)/1000, latency.highest/1000)
	return nil
}

var (
	redirect = regexp.MustCompile(`(MOVED|ASK) (\d+) ([\d.:]+)`)
	moved    = regexp.MustCompile(`MOVED (\d+)(?:-(\d+))? ([\d.:]+)`)
)

// load reads the map by CLUSTER SLOTS.
func (l *loader) load(addr string) error {
	fd, err := dial("tcp", addr)
	if err != nil {
		return err
	}
	defer hangUp(fd)
	replies, err := ask(fd, appendCommand(nil, "CLUSTER", "SLOTS"), 1)
	if err != nil {
		return err
	}
	row := regexp.MustCompile(`\*\d+\r\n:(\d+)\r\n:(\d+)\r\n\*4\r\n\$\d+\r\n([\d.]+)\r\n:(\d+)`)
	for _, f := range row.FindAllSubmatch(replies[0], -1) {
		l.set(f[1], f[2], string(f[3])+":"+string(f[4]))
	}
	return nil
}

func (l *loader) set(first, last []byte, addr string) {
	if len(last) == 0 {
		last = first
	}
	from, _ := strconv.Atoi(string(first)) // of a pattern of digits
	to, _ := strconv.Atoi(string(last))
	l.mu.Lock()
	defer l.mu.Unlock()
	for slot := from; slot <= to; slot++ {
		l.owners[slot] = addr
	}
}

func (l *loader) owner(key string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owners[clusterstate.KeySlot([]byte(key))]
}

// follow applies what is pushed.
func (l *loader) follow(fd int) {
	var buf []byte
	chunk := make([]byte, 4096)
	for {
		n, err := readSome(fd, chunk)
		if err != nil {
			return
		}
		buf = append(buf, chunk[:n]...)
		for {
			n, err := replyLen(buf)
			if err != nil || n == 0 {
				break
			}
			if f := moved.FindSubmatch(buf[:n]); f != nil {
				l.set(f[1], f[2], string(f[3]))
			}
			buf = bytes.Clone(buf[n:])
		}
	}
}

// work sets and gets keys until it is to stop.
func (l *loader) work(keys []string, stop <-chan struct{}) (*histogram, map[string]int) {
	var latency histogram
	failed := map[string]int{}
	conns := map[string]int{}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return &latency, failed
		default:
		}
		command := []string{"GET", keys[rand.IntN(len(keys))]}
		if i%2 == 0 {
			command = []string{"SET", command[1], "v"}
		}
		started := now()
		if err := l.do(conns, command); err != nil {
			failed[err.Error()]++
		}
		latency.record(now() - started)
	}
}

func (l *loader) do(conns map[string]int, command []string) error {
	addr, words := l.owner(command[1]), appendCommand(nil, command...)
	replies := 1
	for range 8 {
		fd, open := conns[addr]
		if !open {
			var err error
			if fd, err = dial("tcp", addr); err != nil {
				return err
			}
			conns[addr] = fd
		}
		_, err := ask(fd, words, replies)
		if err == nil {
			return nil
		}
		f := redirect.FindStringSubmatch(err.Error())
		if f == nil {
			return err
		}
		addr, words, replies = f[3], appendCommand(nil, command...), 1
		if f[1] == "ASK" {
			words, replies = append(appendCommand(nil, "ASKING"), words...), 2
		} else if l.resync {
			if err := l.load(addr); err != nil {
				return err
			}
		}
	}
	return errors.New("redirected too often")
}
