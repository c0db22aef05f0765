// Package frame is the codec of the cluster bus: it finds the frames in a
// stream of bytes, turns each into a Message and a Message into bytes.
//
// A Message is what a frame says and nothing more. Whether its sender is known
// and what follows from it is for package gossip to decide. Decode copies what
// it keeps, so a Message shares nothing with the bytes it came from, and what
// it allocates is bounded by a small multiple of their length. Counts and
// lengths that a peer names are compared with the length of the frame before
// anything is allocated, and no input makes the package panic.
//
// The layouts are those of Redis 7.0 and 7.2 and of Valkey 8, which are one
// protocol: newer nodes add ping extensions, and the light header for
// messages of Pub/Sub.
//
// All functions are pure and may be called by any number of goroutines at
// once. A Message may be read by many once nobody alters it.
package frame
