package splitargs

// AppendQuoted appends a word in double quotes, with what is not printable
// escaped: the form in which Redis shows bytes to people and writes them into
// its configuration file. Split reads the same bytes back.
func AppendQuoted[T string | []byte](dst []byte, word T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(word) {
		switch c := word[i]; c {
		case '\\', '"':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\a':
			dst = append(dst, `\a`...)
		case '\b':
			dst = append(dst, `\b`...)
		default:
			if c >= 0x20 && c < 0x7f {
				dst = append(dst, c)
			} else {
				dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
			}
		}
	}
	return append(dst, '"')
}
