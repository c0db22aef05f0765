package config

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// The kinds of this file take several words.

// addresses is the kind of bind.
type addresses struct{}

const maxBindAddresses = 16

func (addresses) parse(words []string, _ setting) (string, error) {
	if len(words) > maxBindAddresses {
		return "", fault("Too many bind addresses specified.")
	}
	return strings.Join(words, " "), nil
}

func (addresses) lines(name, text string) []string {
	if text == "" {
		return []string{name + ` ""`}
	}
	return plainLine(name, text)
}

// savePoints is the kind of save: pairs of seconds and changes. Lines of one
// configuration add up, but the first replaces the default.
type savePoints struct{}

func (savePoints) parse(words []string, at setting) (string, error) {
	if len(words) == 1 && words[0] == "" {
		return "", nil
	}
	if len(words)%2 != 0 {
		return "", fault("Invalid save parameters")
	}
	var texts []string
	if at.again && at.old != "" {
		texts = append(texts, at.old)
	}
	for i, word := range words {
		n, ok := cInt(word)
		least := int64((i + 1) % 2) // seconds from 1, changes from 0
		if !ok || n < least {
			return "", fault("Invalid save parameters")
		}
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return strings.Join(texts, " "), nil
}

func (savePoints) lines(name, text string) []string {
	if text == "" {
		return []string{name + ` ""`}
	}
	var lines []string
	for pair := range slices.Chunk(strings.Fields(text), 2) {
		lines = append(lines, name+" "+strings.Join(pair, " "))
	}
	return lines
}

// outputLimits is the kind of client-output-buffer-limit: a class, its hard
// and its soft limit, seconds. Classes not named keep what they have.
type outputLimits struct{}

// Redis spells the class of replicas in one way for CONFIG GET and in another
// in a configuration file.
var (
	classNames     = [classCount]string{"normal", "slave", "pubsub"}
	classFileNames = [classCount]string{"normal", "replica", "pubsub"}
)

func (outputLimits) parse(words []string, at setting) (string, error) {
	if len(words) == 1 && words[0] == "" {
		return at.old, nil
	}
	if len(words)%4 != 0 {
		return "", fault("Wrong number of arguments in buffer limit configuration.")
	}
	fields := strings.Fields(at.old)
	for limit := range slices.Chunk(words, 4) {
		class := outputClass(limit[0])
		if class < 0 {
			return "", fault("Invalid client class specified in buffer limit configuration.")
		}
		hard, hardOK := parseMemory(limit[1])
		soft, softOK := parseMemory(limit[2])
		// Redis holds the seconds in 32 bits and lets a larger number wrap.
		wide, secondsOK := cInt(limit[3])
		seconds := int32(wide)
		if !hardOK || !softOK || !secondsOK || seconds < 0 {
			return "", fault("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
		}
		fields[4*class+1] = strconv.FormatUint(hard, 10)
		fields[4*class+2] = strconv.FormatUint(soft, 10)
		fields[4*class+3] = strconv.Itoa(int(seconds))
	}
	return strings.Join(fields, " "), nil
}

func outputClass(name string) int {
	name = strings.ToLower(name)
	if i := slices.Index(classNames[:], name); i >= 0 {
		return i
	}
	return slices.Index(classFileNames[:], name)
}

func (outputLimits) lines(name, text string) []string {
	var lines []string
	for i, limit := range outputLimitFields(text) {
		lines = append(lines, name+" "+classFileNames[i]+" "+
			memoryText(limit[1])+" "+memoryText(limit[2])+" "+limit[3])
	}
	return lines
}

func outputLimitFields(text string) [][]string {
	return slices.Collect(slices.Chunk(strings.Fields(text), 4))
}

func parseOutputLimits(text string) (limits [classCount]OutputLimit) {
	for i, fields := range outputLimitFields(text) {
		seconds, err := strconv.Atoi(fields[3])
		if err != nil {
			panic("config: client-output-buffer-limit: " + err.Error())
		}
		limits[i] = OutputLimit{
			Hard:        clampBytes(fields[1]),
			Soft:        clampBytes(fields[2]),
			SoftSeconds: seconds,
		}
	}
	return limits
}

// flagSet is any number of names; the first stands for none of the others.
type flagSet struct{ names []string }

func (k flagSet) parse(words []string, _ setting) (string, error) {
	if len(words) == 0 {
		return "", notOneOf(k.names)
	}
	set := make([]bool, len(k.names))
	for _, word := range words {
		i := slices.Index(k.names, strings.ToLower(word))
		if i < 0 {
			return "", notOneOf(k.names)
		}
		set[i] = true
	}
	var texts []string
	for i, name := range k.names[1:] {
		if set[i+1] {
			texts = append(texts, name)
		}
	}
	if len(texts) == 0 {
		return k.names[0], nil
	}
	if slices.Contains(texts, "save") && slices.Contains(texts, "nosave") {
		return "", fault("shutdown options SAVE and NOSAVE can't be used simultaneously")
	}
	return strings.Join(texts, " "), nil
}

func (flagSet) lines(name, text string) []string { return plainLine(name, text) }

// oomScores is the kind of oom-score-adj-values.
type oomScores struct{}

func (oomScores) parse(words []string, _ setting) (string, error) {
	if len(words) != 3 {
		return "", wrongArguments
	}
	texts := make([]string, len(words))
	for i, word := range words {
		n, ok := cInt(word)
		if !ok || n < -2000 || n > 2000 {
			return "", fault("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")
		}
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, " "), nil
}

func (oomScores) lines(name, text string) []string { return plainLine(name, text) }

// percentiles is the kind of latency-tracking-info-percentiles.
type percentiles struct{}

func (percentiles) parse(words []string, _ setting) (string, error) {
	if len(words) == 1 && words[0] == "" {
		return "", nil
	}
	texts := make([]string, len(words))
	for i, word := range words {
		p, err := parseFloat(word)
		if err != nil || math.IsNaN(p) {
			return "", fault("Invalid latency-tracking-info-percentiles parameters")
		}
		if p < 0 || p > 100 {
			return "", fault("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]")
		}
		texts[i] = strconv.FormatFloat(p, 'f', -1, 64)
	}
	return strings.Join(texts, " "), nil
}

// parseFloat reads what C's strtod reads, which takes hexadecimal digits
// without an exponent and knows no underscores.
func parseFloat(s string) (float64, error) {
	lower := strings.ToLower(s)
	if strings.Contains(s, "_") {
		return 0, strconv.ErrSyntax
	}
	if strings.HasPrefix(lower, "0x") && !strings.Contains(lower, "p") {
		s += "p0"
	}
	return strconv.ParseFloat(s, 64)
}

func (percentiles) lines(name, text string) []string {
	if text == "" {
		return []string{name + ` ""`}
	}
	return plainLine(name, text)
}

// cInt reads a number as C's strtoll does, for the directives for which Redis
// does so: blanks and a plus may lead, an empty text is 0, what is too large
// is the largest number.
func cInt(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && strings.Trim(s, "+-0123456789") == "" && (n == math.MaxInt64 || n == math.MinInt64) {
		return n, true
	}
	return n, err == nil
}
