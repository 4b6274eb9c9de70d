"""The report: what the comparisons say, as a page, figures, tables and sentences.

In the order in which results become a page:

- read: files ─► `Study`, all results as one object; what follows from them is computed once
- family: the comparisons of one test on one data set and metric
- ranking, baseline, undeclared: who leads and may be the best, what a constant prediction scores,
  what the rows look like
- answers: what the tests say, a module for each kind of answer; sentences: their words
- verdict: the sentences in the order of the page
- exhibits: a function for each table and figure; methods: the paragraph for a paper
- page: all of it as HTML, Markdown, LaTeX, CSV and SVG

numbers, written and prose have the forms of numbers and the phrases that all of these share.
"""
