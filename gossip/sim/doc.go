// Package sim runs many nodes of package gossip in one process, on one virtual
// clock, for tests.
//
// A Network has machines, each with a node and a disk that forgets in a crash
// what was not synced, and whatever is in flight between them. Time passes only
// in Run, and everything happens in the order of its time; the same calls give
// the same run, so a run that fails can be played again. While a network is
// held, what is sent stays in flight, as a list to look at, to deliver from in
// any order, or to drop from.
//
// Frames cross the network encoded and are decoded where they arrive, so the
// codec is part of what is tested.
//
// A Network belongs to one goroutine.
package sim
