"""The sources of the methods: one BibTeX entry each, in the order of the catalogue.

Every `Entry.citation` and every `Result.method` is a key of `BIBTEX`.
"""

from __future__ import annotations

import re

_ENTRIES = r"""
@article{mcnemar1947, author = {McNemar, Quinn}, title = {Note on the sampling error of the difference between correlated proportions or percentages}, journal = {Psychometrika}, year = {1947}, volume = {12}, number = {2}, pages = {153--157}, doi = {10.1007/BF02295996}}
@article{edwards1948, author = {Edwards, Allen L.}, title = {Note on the ``correction for continuity'' in testing the significance of the difference between correlated proportions}, journal = {Psychometrika}, year = {1948}, volume = {13}, number = {3}, pages = {185--187}, doi = {10.1007/BF02289261}}
@article{fagerland2013, author = {Fagerland, Morten W. and Lydersen, Stian and Laake, Petter}, title = {The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact conditional}, journal = {BMC Medical Research Methodology}, year = {2013}, volume = {13}, pages = {91}, doi = {10.1186/1471-2288-13-91}}
@article{dietterich1998, author = {Dietterich, Thomas G.}, title = {Approximate statistical tests for comparing supervised classification learning algorithms}, journal = {Neural Computation}, year = {1998}, volume = {10}, number = {7}, pages = {1895--1923}, doi = {10.1162/089976698300017197}}
@article{alpaydin1999, author = {Alpaydin, Ethem}, title = {Combined 5 x 2 cv F test for comparing supervised classification learning algorithms}, journal = {Neural Computation}, year = {1999}, volume = {11}, number = {8}, pages = {1885--1892}, doi = {10.1162/089976699300016007}}
@article{cochran1950, author = {Cochran, William G.}, title = {The comparison of percentages in matched samples}, journal = {Biometrika}, year = {1950}, volume = {37}, number = {3/4}, pages = {256--266}, doi = {10.1093/biomet/37.3-4.256}}
@article{nadeau2003, author = {Nadeau, Claude and Bengio, Yoshua}, title = {Inference for the generalization error}, journal = {Machine Learning}, year = {2003}, volume = {52}, number = {3}, pages = {239--281}, doi = {10.1023/A:1024068626366}}
@article{demsar2006, author = {Dem{\v{s}}ar, Janez}, title = {Statistical comparisons of classifiers over multiple data sets}, journal = {Journal of Machine Learning Research}, year = {2006}, volume = {7}, pages = {1--30}, url = {https://jmlr.org/papers/v7/demsar06a.html}}
"""

BIBTEX: dict[str, str] = {
    found[1]: found[0] for found in re.finditer(r"@\w+\{(\w+),.*\}", _ENTRIES)
}
