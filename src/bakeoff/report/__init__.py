"""From one experiment's results to the page that answers its question.

`study` reads the files; everything else works on what it returns: `verdict` writes the sentences,
`exhibits` says which tables and figures there are, `tables` and `figures` make them, `page` binds
them to a page. Numbers reach text, tables and figures from the same comparisons, by `numbers`.
"""
