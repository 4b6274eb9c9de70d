"""From one experiment's results to the page that answers its question.

`read` makes a study of the files; everything else works on it: `verdict` writes the sentences,
`exhibits` has a function for each table and figure, `page` binds them to a page. Numbers reach
text, tables and figures from the same comparisons, by `numbers`.
"""
