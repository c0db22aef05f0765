// Package clusterstate is the map of the cluster: which node owns which slot,
// how each node is reached, and what a client is told about it.
//
// A View is one immutable state of the map. Views share whatever did not
// change between them, so keeping an old one costs little and comparing two
// costs what differs. Everything else here is a function of views: the rows of
// CLUSTER SLOTS, the difference between two views (Diff, MovedRows), the
// redirect decision (Decide), the texts a redirect carries, and the hold-back
// of replica lists (Publisher). The text of nodes.conf, which is also the text
// of CLUSTER NODES, is read and written here too.
//
// The package is pure: it starts no goroutine, reads no clock and does no I/O.
// Views and nodes may be read by any number of goroutines at once. An Editor
// and a Publisher belong to one goroutine at a time.
package clusterstate
