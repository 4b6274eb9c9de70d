"""From one experiment's results to the page that answers its question.

`study` reads the files; everything else works on what it returns: `verdict` writes the sentences,
`exhibits` has a function for each table and figure, `tables` and `drawing` what these share, `page`
binds them to a page. Numbers reach text, tables and figures from the same comparisons, by
`numbers`.
"""
