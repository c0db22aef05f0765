//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"strings"
)

// The picture is drawn from the JSON file alone, so that it can be drawn again
// without measuring. Two bars stand side by side for each figure, on a scale of
// their own that begins at zero: what differs by a factor of twenty from one
// setting to the next would be invisible on a common one.

// picture is an SVG that grows downwards.
type picture struct {
	bytes.Buffer
	y int // where the next thing begins
}

// Sizes in the unit of the SVG, a pixel unless it is scaled.
const (
	pictureWidth = 940
	margin       = 20
	cellsAt      = 250 // where the first of the two columns begins
	cellWidth    = 335
	barWidth     = 185 // of the longest bar of a cell, whisker included
	barHeight    = 13
	barGap       = 3
	rowGap       = 14
)

// style is legible on its own background, whatever page it stands on, and
// follows what the reader's system prefers.
const style = `<style>
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
.title { font-size: 17px; font-weight: 600; }
.group { font-size: 13px; font-weight: 600; }
.quiet { fill: #59636e; font-size: 11px; }
.ratio { font-weight: 600; }
.paper { fill: #ffffff; stroke: #d1d9e0; }
.axis { stroke: #8c959f; }
.whisker { stroke: #1f2328; stroke-width: 1.2; }
.own { fill: #1a7f5a; }
.other { fill: #a3acb6; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.quiet { fill: #9198a1; }
.paper { fill: #0d1117; stroke: #3d444d; }
.axis { stroke: #656c76; }
.whisker { stroke: #e6edf3; }
.own { fill: #2ea879; }
.other { fill: #656c76; }
}
</style>
`

func (p *picture) text(class string, x, y int, format string, args ...any) {
	fmt.Fprintf(p, "<text class=%q x=\"%d\" y=\"%d\">%s</text>\n", class, x, y, html.EscapeString(fmt.Sprintf(format, args...)))
}

// bar is a figure of one server.
type bar struct {
	class string // own or other
	value spread
	ratio string // to the other bar, empty for none
}

// cell draws the bars of one figure from a point downwards, its axis at zero.
func (p *picture) cell(x, y int, bars []bar) {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.value.Max)
	}
	at := func(v float64) float64 { return float64(x) + barWidth*max(v, 0)/most }
	for i, b := range bars {
		top := y + i*(barHeight+barGap)
		middle := float64(top) + barHeight/2.0
		fmt.Fprintf(p, "<rect class=%q x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
			b.class, x, top, at(b.value.Median)-float64(x), barHeight)
		if b.value.Rounds > 1 {
			from, to := at(b.value.Min), at(b.value.Max)
			fmt.Fprintf(p, "<path class=\"whisker\" fill=\"none\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv6M%.1f %.1fv6\"/>\n",
				from, middle, to, from, middle-3, to, middle-3)
		}
		label := fmt.Sprintf("<text x=\"%.1f\" y=\"%d\">%s", at(b.value.Max)+6, top+barHeight-2, html.EscapeString(short(b.value.Median)))
		if b.ratio != "" {
			label += fmt.Sprintf(" <tspan class=\"ratio\">%s</tspan>", html.EscapeString(b.ratio))
		}
		p.WriteString(label + "</text>\n")
	}
	bottom := y + len(bars)*(barHeight+barGap)
	fmt.Fprintf(p, "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", x, y-2, x, bottom)
}

// short spells a figure with three digits that count.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 999_500:
		return significant(v/1e6) + " M"
	case a >= 9_995:
		return significant(v/1e3) + " k"
	}
	return significant(v)
}

func significant(v float64) string {
	decimals := 0
	for a := math.Abs(v); a < 99.95 && a != 0 && decimals < 3; a *= 10 {
		decimals++
	}
	return number(v, decimals)
}

// drawPicture makes the SVG of a report.
func drawPicture(report []byte) ([]byte, error) {
	var r pictured
	if err := json.Unmarshal(report, &r); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	rows, err := r.rows()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no measurement of %s and %s that the picture shows", slotcastName, r.Reference)
	}
	p := &picture{y: margin + 16}
	p.text("title", margin, p.y, "%s beside %s", slotcastName, r.Reference)
	p.y += 22
	p.legend(r.Reference)
	p.y += 10
	group := ""
	for _, row := range rows {
		if row.group != group {
			group = row.group
			p.y += 24
			p.text("group", margin, p.y, "%s", group)
			for i, c := range row.cells {
				p.text("quiet", cellsAt+i*cellWidth, p.y, "%s", c.label)
			}
			p.y += 12
		}
		for i, line := range strings.Split(row.label, "\n") {
			p.text("", margin, p.y+barHeight-2+i*(barHeight+barGap), "%s", line)
		}
		for i, c := range row.cells {
			p.cell(cellsAt+i*cellWidth, p.y, c.bars)
		}
		p.y += 2*(barHeight+barGap) + rowGap
	}
	p.y += 8
	for _, line := range r.footer() {
		p.y += 15
		p.text("quiet", margin, p.y, "%s", line)
	}
	p.y += margin
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n",
		pictureWidth, p.y, pictureWidth, p.y, html.EscapeString(slotcastName+" beside "+r.Reference+", measured"))
	out.WriteString(style)
	fmt.Fprintf(&out, "<rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", pictureWidth-1, p.y-1)
	out.Write(p.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes(), nil
}

func (p *picture) legend(reference string) {
	for i, one := range []struct{ class, name string }{{"own", slotcastName}, {"other", reference}} {
		x := margin + i*100
		fmt.Fprintf(p, "<rect class=%q x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/>\n", one.class, x, p.y-10)
		p.text("", x+18, p.y, "%s", one.name)
	}
	p.text("quiet", margin+230, p.y, "each pair of bars has its own scale, from zero; whiskers: least to greatest round; bold: ratio by round")
}

// writePicture draws a report that was written.
func writePicture(path string, report []byte) error {
	svg, err := drawPicture(report)
	if err != nil {
		return err
	}
	return os.WriteFile(path, svg, 0o644)
}
