package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// busLink is a link to the bus of a redis-server that does not know us. It
// answers every PING with a PONG all the same.
type busLink struct {
	net.Conn
	buf []byte
}

func dialBus(t *testing.T, redis *redistest.Server) *busLink {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", redis.Port+10000))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return &busLink{Conn: conn}
}

// next reads the next message; nil at the end of the link.
func (l *busLink) next(t *testing.T) *Message {
	for {
		n, err := Scan(l.buf, MaxLen)
		require.NoError(t, err)
		if n > 0 {
			m, err := Decode(l.buf[:n])
			require.NoError(t, err)
			require.Equal(t, l.buf[:n], Append(nil, m), "written as redis-server has written it")
			l.buf = l.buf[n:]
			return m
		}
		chunk := make([]byte, 4096)
		n, err = l.Read(chunk)
		if err != nil {
			// A reset is an end, too: redis-server may have had bytes unread.
			if netErr, ok := err.(net.Error); ok {
				require.False(t, netErr.Timeout(), "redis-server neither answers nor closes")
			}
			return nil
		}
		l.buf = append(l.buf, chunk[:n]...)
	}
}

// pongs counts the answers to a frame on a link of its own, and tells whether
// the link outlives it. A PING sent right after it shows that; a wrong
// signature at last ends the link, so that nothing has to be waited for.
func pongs(t *testing.T, redis *redistest.Server, raw []byte) (count int, kept bool) {
	l := dialBus(t, redis)
	defer l.Close()
	_, err := l.Write(append(bytes.Clone(raw), Append(nil, bigPing(2))...))
	require.NoError(t, err)
	for m := l.next(t); m != nil; m = l.next(t) {
		require.Equal(t, TypePong, m.Type)
		if count++; count == 1 {
			_, err := io.WriteString(l, "that is all")
			require.NoError(t, err)
		}
	}
	return count - 1, count > 0
}

// asRedis compares what Decode makes of a frame with what redis-server does.
func asRedis(t *testing.T, redis *redistest.Server, raw []byte) {
	t.Helper()
	count, kept := pongs(t, redis, raw)
	m, err := Decode(raw)
	if _, ends := err.(*LinkError); ends {
		require.False(t, kept, "redis-server keeps the link after %v", err)
		return
	}
	require.True(t, kept, "redis-server closes the link after %v, %v", m, err)
	want := 0
	if err == nil && (m.Type == TypePing || m.Type == TypeMeet) {
		want = 1
	}
	require.Equal(t, want, count, "%v, %v", m, err)
}

// TestRedisJudgesFrames: redis-server reads what is written here, and drops, or
// ends the link for, what is refused here.
func TestRedisJudgesFrames(t *testing.T) {
	redis := redistest.Start(t, "--cluster-enabled", "yes")
	ping := bigPing(10)
	ping.Extensions.Unknown = []UnknownExtension{{Type: 99, Index: 1, Payload: []byte("12345")}}
	good := Append(nil, ping)
	const ext = HeaderLen + 10*gossipLen
	for name, raw := range map[string][]byte{
		"good":                   good,
		"empty":                  Append(nil, &Message{Type: TypePing}),
		"odd":                    Append(nil, &Message{Type: TypePing, Header: Header{Sender: "x", IP: "y", Flags: 0xffff, MessageFlags: 0xff}}),
		"publish":                Append(nil, &Message{Type: TypePublish, Publish: Publish{[]byte("a"), []byte("b")}}),
		"module":                 Append(nil, &Message{Type: TypeModule, Module: Module{Payload: []byte("b")}}),
		"update":                 Append(nil, &Message{Type: TypeUpdate}),
		"fail":                   Append(nil, &Message{Type: TypeFail}),
		"type 11":                put16(atType, 11)(bytes.Clone(good)),
		"version 2":              put16(atVersion, 2)(bytes.Clone(good)),
		"one entry more":         put16(atCount, 11)(bytes.Clone(good)),
		"one extension less":     put16(atExtensions, 2)(bytes.Clone(good)),
		"odd extension":          put32(ext, 28)(bytes.Clone(good)),
		"extension beyond":       put32(ext, 0xfff8)(bytes.Clone(good)),
		"signature":              append([]byte("RCmc"), good[4:]...),
		"one below the header":   put32(atLength, HeaderLen-1)(bytes.Clone(good)),
		"length of nothing":      put32(atLength, 0)(bytes.Clone(good)),
		"extensions not flagged": func() []byte { b := bytes.Clone(good); b[atMessage] = 0; return b }(),
	} {
		t.Run(name, func(t *testing.T) { asRedis(t, redis, raw) })
	}
}

// TestRedisJudgesDamage does the same with captured frames at random damage.
func TestRedisJudgesDamage(t *testing.T) {
	redis := redistest.Start(t, "--cluster-enabled", "yes")
	random := rand.New(rand.NewPCG(5, 6))
	compared := 0
	for i := 0; compared < 300; i++ {
		raw := damage(random, capture(t, captures[i%len(captures)].name))
		if len(raw) < LightHeaderLen {
			continue
		}
		if i%4 > 0 {
			binary.BigEndian.PutUint32(raw[atLength:], uint32(len(raw)))
		}
		_, err := Decode(raw)
		frame, _ := err.(*FrameError)
		switch n, _ := Scan(raw, MaxLen); {
		case rawType(raw)&lightBit != 0: // Redis 7.0 knows no light header
		case rawType(raw) == uint16(TypeMeet): // it would look for us where nobody is
		case frame != nil && (n != len(raw) || frame.Fault == BadExtension): // it waits for more; we are stricter
		default:
			asRedis(t, redis, raw)
			compared++
		}
	}
}
