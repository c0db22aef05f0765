package frame

import (
	"encoding/binary"

	"slotcast/clusterstate"
)

// extensionWriter appends extensions. It puts the unknown ones in between, each
// where it was.
type extensionWriter struct {
	dst     []byte
	count   int
	unknown []UnknownExtension
}

// append appends all extensions in the order in which Redis and Valkey write
// them, and returns their number. One that is too long for the frame is left
// out: its receivers would lose the whole message.
func (e *Extensions) append(dst []byte) ([]byte, int) {
	w := extensionWriter{dst: dst, unknown: e.Unknown}
	w.text(ExtHostname, e.Hostname)
	w.text(ExtHumanNodename, e.Nodename)
	w.text(ExtClientIPv4, e.ClientIPv4)
	w.text(ExtClientIPv6, e.ClientIPv6)
	for _, f := range e.Forgotten {
		if w.begin(ExtForgottenNode, forgottenLen) {
			w.dst = appendID(w.dst, f.ID)
			w.dst = binary.BigEndian.AppendUint64(w.dst, f.TTL)
		}
	}
	if e.ShardID != "" && w.begin(ExtShardID, clusterstate.NodeIDLen) {
		w.dst = appendID(w.dst, clusterstate.NodeID(e.ShardID))
	}
	for len(w.unknown) > 0 {
		w.nextUnknown()
	}
	return w.dst, w.count
}

// begin appends the head of an extension for a payload of n bytes, after the
// unknown ones that come before it. If it returns false there is no room.
func (w *extensionWriter) begin(t ExtensionType, n int) bool {
	for len(w.unknown) > 0 && int(w.unknown[0].Index) <= w.count {
		w.nextUnknown()
	}
	return w.head(t, n)
}

func (w *extensionWriter) head(t ExtensionType, n int) bool {
	n = extensionLen(n)
	if n > maxExtension || w.count == maxCount {
		return false
	}
	w.count++
	w.dst = binary.BigEndian.AppendUint32(w.dst, uint32(n))
	w.dst = binary.BigEndian.AppendUint16(w.dst, uint16(t))
	w.dst = append(w.dst, 0, 0)
	return true
}

func (w *extensionWriter) nextUnknown() {
	u := w.unknown[0]
	w.unknown = w.unknown[1:]
	if w.head(u.Type, len(u.Payload)) {
		w.dst = append(w.dst, u.Payload...)
		w.pad(len(u.Payload))
	}
}

func (w *extensionWriter) text(t ExtensionType, s string) {
	if s != "" && w.begin(t, len(s)+1) {
		w.dst = append(w.dst, s...)
		w.dst = append(w.dst, 0)
		w.pad(len(s) + 1)
	}
}

// pad fills a payload of n bytes up to a multiple of 8.
func (w *extensionWriter) pad(n int) { w.dst = appendZeros(w.dst, extensionLen(n)-extensionHead-n) }

// extensionLen is the length of an extension with a payload of n bytes.
func extensionLen(n int) int { return extensionHead + (n+7)&^7 }

// len is the length of all extensions together, or a little more.
func (e *Extensions) len() int {
	n := len(e.Forgotten) * extensionLen(forgottenLen)
	for _, s := range [...]string{e.Hostname, e.Nodename, e.ClientIPv4, e.ClientIPv6, e.ShardID} {
		if s != "" {
			n += extensionLen(len(s) + 1)
		}
	}
	for i := range e.Unknown {
		n += extensionLen(len(e.Unknown[i].Payload))
	}
	return n
}
