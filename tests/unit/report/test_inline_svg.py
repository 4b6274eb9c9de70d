"""Figures as parts of a page: small, with their own ids and the page's colours."""

import re

from bakeoff.report.page import Sheet, inline_svg

MARK = '<use xlink:href="#m" x="{}.12678" y="2.000000" style="fill: #0071b1"/>'
FILE = (
    '<?xml version="1.0"?><svg viewBox="0 0 90 30"><metadata><x/></metadata>'
    '<defs><style type="text/css">*{{stroke-linecap: butt}}</style></defs>'
    '<g id="axes_1"><g id="empty"/><defs><path id="m" d="M 0 0.100000 \nL 10 20.50 \nz\n"/></defs>'
    '<path d="M 0 0 z" style="fill: none"/>'
    '<g clip-path="url(#c)">{}</g></g><clipPath id="c"><rect x="1"/></clipPath>'
    "<text style=\"font-size: 8px; font-family: 'DejaVu Sans'\""
    ' transform="rotate(-0 1 2)">#0071b1 id="x" 1.23456</text></svg>'
)


def test_ids_and_colours_are_the_pages_and_texts_stay():
    sheet = Sheet()
    found = inline_svg(FILE.format(MARK.format(1)), "fig-a.b", 'say "hi"', sheet)
    assert 'id="fig-a-b-m" d="M0 0.1L10 20.5z"' in found
    assert "url(#fig-a-b-c)" in found
    assert '>#0071b1 id="x" 1.23456</text>' in found
    assert 'aria-label="say &#34;hi&#34;"' in found
    assert sheet.css == ".s0 { fill: var(--blue) }\n.s1 { font-size: 8px }"
    assert not re.search("axes_1|empty|metadata|fill: none|<style|rotate", found)


def test_figures_wider_than_the_page_scroll():
    for width, kind in ((640, "figure"), (640.1, "figure broad")):
        found = inline_svg(f'<svg viewBox="0 0 {width} 9"><g/></svg>', "f", "", Sheet())
        assert f'class="{kind}"' in found


def test_equal_marks_in_a_row_are_corners_of_one_path():
    few, many = (
        inline_svg(FILE.format("".join(map(MARK.format, range(n)))), "f", "", Sheet())
        for n in (2, 3)
    )
    assert few.count("<use") == 2
    assert "<marker" not in few
    assert many.count("<use") == 1
    assert 'd="M0.12 2.00L1.12 2.00L2.12 2.00"' in many
    marker = re.search(r'<marker id="([^"]+)"', many)[1]
    assert many.count(f"url(#{marker})") == 3
