package config

import (
	"crypto/sha256"
	"encoding/hex"

	"strings"
)

// CONFIG REWRITE of a Redis adds a line to its file that describes the default
// user, also where nobody uses ACLs. Such a file has to carry over, so the
// line is read, as long as it grants what this server grants.

// isStockUser tells whether a user line is the one of a default user that may
// do everything, with the password that requirepass sets, or with none.
func isStockUser(words []string, requirepass string) bool {
	if len(words) == 0 || words[0] != "default" {
		return false
	}
	on, keys, channels, commands, secret := false, false, false, false, false
	for _, word := range words[1:] {
		switch word {
		case "on":
			on = true
		case "~*", "allkeys":
			keys = true
		case "&*", "allchannels":
			channels = true
		case "+@all", "allcommands":
			commands = true
		case userSecret(requirepass):
			secret = true
		case "sanitize-payload":
		default:
			return false
		}
	}
	return on && keys && channels && commands && secret
}

// userSecret is the word of a user line for a password: its hash, or nopass.
func userSecret(requirepass string) string {
	if requirepass == "" {
		return "nopass"
	}
	sum := sha256.Sum256([]byte(requirepass))
	return "#" + hex.EncodeToString(sum[:])
}

// stockUserLine is the line as Redis writes it.
func stockUserLine(requirepass string) string {
	return strings.Join([]string{"user default on", userSecret(requirepass), "~* &* +@all"}, " ")
}
