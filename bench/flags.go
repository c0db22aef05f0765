//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"slotcast/clusterstate"
)

// options are the command line.
type options struct {
	preset    string
	measure   []string
	rounds    int
	timing    timing
	json      string
	picture   string // file to draw, empty for none
	from      string // file to draw it from, instead of measuring
	unix      bool
	readers   int
	reference string
	profile   *profiler

	slotcast, redis, benchmark string // paths of binaries
	slotcastArgs, redisArgs    string
	servers                    []string // names, all when empty
	added                      []*contender

	subscribers, publishers, depths, payloads, rows []int
	by, channels, resp                              []string
	rate                                            float64
	messages, moves, slots                          int
	bad, limit                                      int // subscribers and bytes of -measure limits
	clients                                         []loadClient
	libraries                                       []string // of compat, further clients

	connections, pipelines []int
	tests                  []string
	value, keys, requests  int

	// given names the flags that were on the command line.
	given map[string]bool
}

// kinds are what -measure names.
var kinds = []string{"fanout", "forms", "limits", "memory", "idle", "requests", "commands", "slots", "moves", "failover", "reshard"}

const usage = `bench puts the same load on slotcast, built from this tree, and on redis-server,
both started on loopback, one after the other in alternating order, and prints
the ratios as medians over the rounds with their spread (least to greatest).

  go run ./bench                     preset quick: under a minute, rough
  go run ./bench -preset full -picture bench.svg
                                     5 rounds of 10 s each: 1 3/4 hours; half an hour
                                     with -rounds 3 -warmup 1s -duration 3s
  go run ./bench -from bench-results.json -picture bench.svg
                                     the picture of an earlier run, nothing measured
  go run ./bench -measure fanout -subs 1000,5000 -depth 1,16 -by ack,receipt
  go run ./bench -measure fanout -subs 100 -rate 1000
  go run ./bench -measure fanout -channel slots,slots:json -rows 100
  go run ./bench -measure forms -depth 1,16
  go run ./bench -measure limits -rounds 3
  go run ./bench -measure memory -subs 10000
  go run ./bench -measure commands -c 50 -P 1,16
  go run ./bench -measure slots -c 1,50
  go run ./bench -measure moves
  go run ./bench -measure failover -subs 10000 -rounds 3
  go run ./bench -measure idle -subs 5000,10000 -rounds 3
  go run ./bench -measure reshard
  go run ./bench -measure reshard -client go-redis-9,ioredis-6 -rounds 3

Settings that take a list measure every combination. Without -measure the
settings of a preset hold, but for how long, how often, which servers, and
redis-benchmark's.

Depth is counted by acknowledgement (a publisher sends the next message when
the reply to an earlier one has come) or by receipt (when the subscriber that
was chosen for that message has it). With -rate messages leave on a schedule
instead, whatever the server does, and latency counts from when a message was
due. A subscriber that falls behind is closed by either server at its default
limits; the table says how many were.

Flags:
`

func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{given: map[string]bool{}}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.Usage = func() {
		fmt.Fprint(out, usage)
		fs.PrintDefaults()
	}
	fs.StringVar(&o.preset, "preset", "", "quick or full (default quick, unless -measure is given)")
	o.list(fs, &o.measure, "measure", "", "what to measure instead of a preset: "+strings.Join(kinds, ", "))
	fs.IntVar(&o.rounds, "rounds", 5, "rounds; each measures every server once")
	fs.DurationVar(&o.timing.Warmup, "warmup", 2*time.Second, "load before the clock starts")
	fs.DurationVar(&o.timing.Duration, "duration", 10*time.Second, "load while the clock runs")
	fs.DurationVar(&o.timing.Settle, "settle", time.Second, "pause between the last subscriber and the first message")
	fs.DurationVar(&o.timing.Rest, "rest", 20*time.Second, "how long subscribers of -measure memory are idle before their cost is read again;\nredis-server goes on giving memory back for some fifteen seconds")
	fs.StringVar(&o.json, "json", "bench-results.json", "`file` for all figures, empty for none")
	fs.StringVar(&o.picture, "picture", "", "`file` for a picture of the results, SVG")
	fs.StringVar(&o.from, "from", "", "JSON `file` of an earlier run to draw the picture from; nothing is measured")
	fs.BoolVar(&o.unix, "unix", false, "subscribers and publishers use a unix socket, for more of them than there are ports")
	fs.IntVar(&o.readers, "readers", max(1, runtime.NumCPU()/4), "threads that read subscribers")
	fs.Func("perf", "`folder` for a profile of each measured server by Linux perf; spoils the figures a little", func(dir string) error {
		o.profile = &profiler{dir: dir}
		return nil
	})

	o.list(fs, &o.servers, "servers", "", "`names` of the servers to measure (default all: slotcast, redis-server and those of -server and -attach)")
	fs.StringVar(&o.reference, "reference", redisName, "`name` of the server that ratios refer to")
	fs.StringVar(&o.slotcast, "slotcast", "", "slotcast `binary` (default: built from the tree)")
	fs.StringVar(&o.redis, "redis-server", redisName, "redis-server `binary`")
	fs.StringVar(&o.benchmark, "redis-benchmark", "redis-benchmark", "redis-benchmark `binary`")
	fs.StringVar(&o.slotcastArgs, "slotcast-args", "", "further `arguments` for slotcast")
	fs.StringVar(&o.redisArgs, "redis-args", "", "further `arguments` for redis-server, such as \"--io-threads 2\"")
	fs.Func("server", "another server as `name=command`, with {port}, {unix}, {dir} and {clients} where it takes them; repeatable.\nOne whose name begins with slotcast is taken to have its channels", o.addServer)
	fs.Func("attach", "a server that runs already as `name=host:port[,pid]`; repeatable", o.addAttached)

	o.ints(fs, &o.subscribers, "subs", "1000", "subscribers")
	o.ints(fs, &o.publishers, "publishers", "1", "publishers")
	o.ints(fs, &o.depths, "depth", "1", "commands in flight for each publisher")
	o.list(fs, &o.by, "by", "ack", "what depth counts: ack, receipt")
	fs.Float64Var(&o.rate, "rate", 0, "messages a second on a schedule, all publishers together; zero for as fast as depth allows")
	o.ints(fs, &o.payloads, "payload", "64", "bytes of a message, at least 8")
	o.list(fs, &o.channels, "channel", "channel", "kinds: "+channelKindNames()+"; those with slots are slotcast's own")
	o.list(fs, &o.resp, "resp", "2", "protocol of the subscribers: 2, 3, mixed")
	o.ints(fs, &o.rows, "rows", "1", "slots that one change takes away or gives back, each a row of its own")
	fs.IntVar(&o.messages, "messages", 200, "size of the burst of -measure memory, for each publisher")

	fs.IntVar(&o.bad, "bad", 100, "bad subscribers of each kind beside the good ones of -measure limits, whose -subs are 10000, whose -payload is 4096\nand whose -rate is 35000 deliveries a second unless given")
	fs.IntVar(&o.limit, "limit", 32<<10, "bytes that may wait for a subscriber of -measure limits (client-output-buffer-limit pubsub)")

	fs.IntVar(&o.moves, "moves", 1000, "slots that -measure moves moves, one after the other")
	fs.IntVar(&o.slots, "slots", 500, "slots that -measure reshard moves, one after the other; -warmup is how long the load runs before and after")
	fs.Func("client", "what -measure reshard runs: `names` of libraries of compat/clients, or name=command, or name:modes=command\nwith the modes that the program has (off, on, smigrated; default off,on); repeatable. See program.go for\nwhat it is asked. Default: every library of compat/clients that has a load and is installed", o.addClient)

	o.ints(fs, &o.connections, "c", "50", "connections of -measure requests, commands and slots")
	o.ints(fs, &o.pipelines, "P", "1,16", "commands in flight on each, of -measure requests and commands")
	o.list(fs, &o.tests, "t", "set,get", "tests: set and get for -measure requests, any of redis-benchmark's for -measure commands")
	fs.IntVar(&o.value, "value", 3, "bytes of a value")
	fs.IntVar(&o.keys, "keys", 0, "range of keys that commands are about, zero for one key")
	fs.IntVar(&o.requests, "requests", 0, "redis-benchmark's number of requests, zero for as many as fill -duration")

	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag", fs.Arg(0))
	}
	fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	return o, o.check()
}

// list adds a flag whose value is a list of words.
func (o *options) list(fs *flag.FlagSet, to *[]string, name, value, help string) {
	*to = words(value)
	if value != "" {
		help += fmt.Sprintf(" (default %s)", value)
	}
	fs.Func(name, help, func(s string) error {
		*to = words(s)
		return nil
	})
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// ints adds a flag whose value is a list of numbers above zero.
func (o *options) ints(fs *flag.FlagSet, to *[]int, name, value, help string) {
	parse := func(s string) error {
		*to = nil
		for _, w := range words(s) {
			n, err := strconv.Atoi(w)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is not a number above zero", w)
			}
			*to = append(*to, n)
		}
		return nil
	}
	parse(value) // never fails: it is written above
	fs.Func(name, help+fmt.Sprintf(" (default %s)", value), parse)
}

func (o *options) addServer(s string) error {
	name, command, ok := strings.Cut(s, "=")
	if !ok || name == "" || len(strings.Fields(command)) == 0 {
		return errors.New("expected name=command")
	}
	o.added = append(o.added, &contender{Name: name, Command: strings.Fields(command)})
	return nil
}

func (o *options) addAttached(s string) error {
	name, where, ok := strings.Cut(s, "=")
	addr, pid, hasPid := strings.Cut(where, ",")
	if !ok || name == "" || addr == "" {
		return errors.New("expected name=host:port[,pid]")
	}
	c := &contender{Name: name, Attach: addr}
	if hasPid {
		n, err := strconv.Atoi(pid)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a process id", pid)
		}
		c.pid = n
	}
	o.added = append(o.added, c)
	return nil
}

func (o *options) addClient(s string) error {
	name, command, given := strings.Cut(s, "=")
	if !given {
		o.libraries = append(o.libraries, words(s)...)
		return nil
	}
	name, modes, _ := strings.Cut(name, ":")
	c := loadClient{Name: name, Command: strings.Fields(command), Resp: "3", Modes: words(modes)}
	if len(c.Modes) == 0 {
		c.Modes = []string{"off", "on"}
	}
	if name == "" || len(c.Command) == 0 {
		return errors.New("expected names, name=command or name:modes=command")
	}
	o.clients = append(o.clients, c)
	return among("modes of "+name, c.Modes, "off", "on", "smigrated")
}

// check refuses what no measurement could mean.
func (o *options) check() error {
	if o.preset != "" && len(o.measure) > 0 {
		return errors.New("-preset and -measure exclude each other")
	}
	if o.from != "" && o.picture == "" {
		return errors.New("-from draws a picture: say which with -picture")
	}
	if o.preset == "" && len(o.measure) == 0 {
		o.preset = "quick"
	}
	if err := among("-preset", []string{o.preset}, "quick", "full", ""); err != nil {
		return err
	}
	for _, c := range []struct {
		name    string
		values  []string
		allowed []string
	}{
		{"-measure", o.measure, kinds},
		{"-by", o.by, []string{"ack", "receipt"}},
		{"-resp", o.resp, []string{"2", "3", "mixed"}},
	} {
		if err := among(c.name, c.values, c.allowed...); err != nil {
			return err
		}
	}
	if o.preset != "" {
		for _, name := range []string{"subs", "publishers", "depth", "by", "rate", "payload", "channel", "resp", "rows"} {
			if o.given[name] {
				return fmt.Errorf("-%s is fixed in a preset: say -measure too", name)
			}
		}
	}
	switch {
	case len(o.subscribers)*len(o.publishers)*len(o.depths)*len(o.payloads)*len(o.rows)*len(o.by)*len(o.channels)*
		len(o.resp)*len(o.connections)*len(o.pipelines)*len(o.tests) == 0:
		return errors.New("a list is empty")
	case o.rounds < 1:
		return errors.New("-rounds must be above zero")
	case o.readers < 1:
		return errors.New("-readers must be above zero")
	case o.timing.Duration <= 0 || o.timing.Warmup < 0 || o.timing.Settle < 0 || o.timing.Rest < 0:
		return errors.New("-duration must be above zero, -warmup, -settle and -rest not below")
	case slices.Min(o.payloads) < wordSize:
		return fmt.Errorf("-payload must be at least %d", wordSize)
	case o.bad < 1 || o.limit < 1:
		return errors.New("-bad and -limit must be above zero")
	case o.moves < 1 || o.moves > 16384:
		return errors.New("-moves must be between 1 and 16384")
	case o.slots < 1 || o.slots > clusterstate.Slots/clusterSize:
		return fmt.Errorf("-slots must be between 1 and %d, as many as the first of %d nodes has", clusterstate.Slots/clusterSize, clusterSize)
	case slices.Max(o.rows) > maxRows:
		return fmt.Errorf("-rows must be at most %d", maxRows)
	case o.rate < 0 || o.messages < 1 || o.value < 1 || o.keys < 0 || o.requests < 0:
		return errors.New("-rate, -keys and -requests must not be below zero, -messages and -value not below one")
	}
	return nil
}

func among(name string, values []string, allowed ...string) error {
	for _, v := range values {
		if !slices.Contains(allowed, v) {
			return fmt.Errorf("%s: %q is none of %s", name, v, strings.Join(allowed, ", "))
		}
	}
	return nil
}
