package clusterstate

import "bytes"

// Slots is the number of hash slots of a cluster; slots are 0 to Slots-1.
const Slots = 16384

// crcTable holds CRC-16/XMODEM (polynomial 0x1021, start 0, not reflected) of
// every byte, built once so that KeySlot works a byte at a time.
var crcTable = func() (t [256]uint16) {
	for i := range t {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		t[i] = crc
	}
	return t
}()

// KeySlot returns the slot of a key or of a shard channel: CRC-16/XMODEM
// modulo Slots, of the hash tag if there is one, else of the whole key. The
// hash tag is what stands between the first '{' and the first '}' after it,
// if that is not empty.
func KeySlot(key []byte) uint16 {
	if open := bytes.IndexByte(key, '{'); open >= 0 {
		rest := key[open+1:]
		if n := bytes.IndexByte(rest, '}'); n > 0 {
			key = rest[:n]
		}
	}
	var crc uint16
	for _, c := range key {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^c]
	}
	return crc & (Slots - 1)
}
