// Package gossip is this node as the cluster knows it: a state machine that
// turns commands and the passing of time into the next view of the map.
//
// Node is pure. Time comes in with every call (monotonic and wall time apart),
// randomness comes from a seed given at construction, and everything that is to
// happen comes out as one Output, which says in which order it is to be
// applied. It starts no goroutine, reads no clock, touches no file and no
// socket. The same inputs at the same times always give the same outputs.
//
// A Node belongs to one goroutine, the owner. Views and outputs, once given
// out, may be read by all.
package gossip
