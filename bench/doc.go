//go:build linux

// Command bench measures servers that speak RESP, side by side: it starts each
// of them on loopback, puts the same load on one after the other in an order
// that alternates from round to round, and prints how slotcast compares with
// redis-server as medians of the rounds' ratios with their spread. Everything
// it prints, and every single figure, also goes into a JSON file.
//
//	go run ./bench                          the preset quick, under a minute
//	go run ./bench -preset full -picture docs/bench.svg
//	                                        the figures the project is judged by,
//	                                        in an hour and a half
//	go run ./bench -from bench-results.json -picture docs/bench.svg
//	                                        the picture again, without measuring
//	go run ./bench -measure fanout -subs 1000,5000 -depth 1,16
//	go run ./bench -h
//
// # What is measured
//
// The kinds of measurement have a file each: fanout.go (publish to many
// subscribers), forms.go (rows against messages of as many bytes, and mixed
// subscribers against those of one kind), limits.go (what slow and dead
// subscribers do to good ones), memory.go (what a subscriber costs that has
// nothing to do),
// idleslope.go (what one more of them costs), requests.go (GET and SET),
// commands.go (the same through redis-benchmark), slotreplies.go (CLUSTER SLOTS of a map in pieces), moves.go
// (how fast the row of a moved slot comes from another node, slotcast alone),
// failover.go (the rows of a whole shard to many subscribers) and reshard.go
// (what cluster clients make of slots that move under their load, with the push
// and without it). A further kind is one more type that implements measurement,
// and one more name for -measure. What a preset measures stands in preset.go.
//
// In -measure limits all subscribers listen to one channel at a steady rate. The
// good ones are timed for half of -duration, then all of it with the bad ones
// among them, then the other half without; every delivery is timed. Of the bad
// ones a third never reads, a third reads a byte a second, and a third vanishes:
// a filter on its socket has the kernel drop whatever comes for it, before TCP
// sees it, so that the server gets neither an acknowledgement nor a reset, as
// from a machine that has lost its power. Bad ones use segments that fit
// Ethernet and a small window, without which loopback would hold megabytes for
// each before a server could notice. What the limits allow is their number times
// the hard limit, which is what servers count; redis-server counts whole blocks
// of 16 KB, and leaves out the first 16 KB that it holds for each client. Memory
// is VmHWM, set back before they come.
//
// In -measure forms slotcast stands alone, and the columns are what subscribers
// listen to. Messages of the ordinary channel are as long as a row is on average,
// and as many are in flight as there are rows in the changes that are. One row a
// change at a depth by acknowledgement compares what differs in more than the
// rows: PUBLISH is acknowledged before anything is written and so runs ahead of
// the writes, which then carry several messages each.
//
// The picture (picture.go) is drawn from the JSON file: each figure as a pair of
// bars on a scale of its own from zero, with whiskers from the least to the
// greatest round, and the median of the rounds' ratios.
//
// For -measure slots and -measure failover the servers are nodes of a cluster
// whose others exist only in a nodes.conf, with the slots dealt out in turn so
// that no two neighbours have one owner. Of CLUSTER SLOTS every server must give
// the same bytes, but for its own port, or the round fails. In the failover the
// replica's claim of 5,461 such slots comes as one PING on the cluster bus; what
// it is compared with is as many messages, each as long, that one publisher
// sends in one pipeline to an ordinary channel. Time runs from the claim, or the
// first PUBLISH, to the last byte of the last subscriber, and every byte is
// compared. Meanwhile another node pings, and what a PONG takes shows whether
// the bus goes on. -measure idle takes several -subs, such as 5000,10000, reads a
// server's memory at each of them in one run, and draws the slope between the
// last two out to 50,000 subscribers: that line is extrapolated, and says so.
// With -unix there may be more subscribers than ports. How many goroutines
// slotcast has at the end is counted in what it prints when SIGQUIT ends it.
//
// # How far the figures can be trusted
//
// Server and load generator share the machine. The generator is kept cheap
// (few threads, each an epoll set of its own, large reads, frames counted at
// their known length) and says how many cores it took, so that a figure that
// it limits can be told from one that the server limits. What other processes
// took meanwhile is in the table as well: a round with much of it is worth
// little. Every delivery is counted at its subscriber and checked for its
// sequence number; throughput is deliveries received between the end of the
// warm-up and the end of the run, not messages handed to the server.
//
// Latency is measured on one subscriber for each message, chosen by a hash of
// the message's number, from the publisher's clock to the return of the read
// that brought it. With -rate, publishing follows a schedule that does not
// wait for the server, and the clock starts when a message was due, not when
// it could be written: a server that stalls is charged for every message that
// the stall held up (no coordinated omission). Without -rate the load is a
// closed loop, there is no schedule, and the clock starts with the write.
package main
