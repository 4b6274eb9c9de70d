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
@inproceedings{bouckaert2004, author = {Bouckaert, Remco R. and Frank, Eibe}, title = {Evaluating the replicability of significance tests for comparing learning algorithms}, booktitle = {Advances in Knowledge Discovery and Data Mining (PAKDD 2004)}, series = {Lecture Notes in Computer Science}, volume = {3056}, year = {2004}, pages = {3--12}, publisher = {Springer}, doi = {10.1007/978-3-540-24775-3_3}}
@article{corani2015, author = {Corani, Giorgio and Benavoli, Alessio}, title = {A {Bayesian} approach for comparing cross-validated algorithms on multiple data sets}, journal = {Machine Learning}, year = {2015}, volume = {100}, number = {2--3}, pages = {285--304}, doi = {10.1007/s10994-015-5486-z}}
@inproceedings{benavoli2014, author = {Benavoli, Alessio and Corani, Giorgio and Mangili, Francesca and Zaffalon, Marco and Ruggeri, Fabrizio}, title = {A {Bayesian} {Wilcoxon} signed-rank test based on the {Dirichlet} process}, booktitle = {Proceedings of the 31st International Conference on Machine Learning}, year = {2014}, pages = {1026--1034}, url = {https://proceedings.mlr.press/v32/benavoli14.html}}
@article{benavoli2017, author = {Benavoli, Alessio and Corani, Giorgio and Dem{\v{s}}ar, Janez and Zaffalon, Marco}, title = {Time for a change: a tutorial for comparing multiple classifiers through {Bayesian} analysis}, journal = {Journal of Machine Learning Research}, year = {2017}, volume = {18}, number = {77}, pages = {1--36}, url = {https://jmlr.org/papers/v18/16-305.html}}
@book{alpaydin2010, author = {Alpaydin, Ethem}, title = {Introduction to Machine Learning}, edition = {2}, publisher = {MIT Press}, year = {2010}}
@article{greenhouse1959, author = {Greenhouse, Samuel W. and Geisser, Seymour}, title = {On methods in the analysis of profile data}, journal = {Psychometrika}, year = {1959}, volume = {24}, number = {2}, pages = {95--112}, doi = {10.1007/BF02289823}}
@article{huynh1976, author = {Huynh, Huynh and Feldt, Leonard S.}, title = {Estimation of the {Box} correction for degrees of freedom from sample data in randomized block and split-plot designs}, journal = {Journal of Educational Statistics}, year = {1976}, volume = {1}, number = {1}, pages = {69--82}, doi = {10.3102/10769986001001069}}
@article{mauchly1940, author = {Mauchly, John W.}, title = {Significance test for sphericity of a normal n-variate distribution}, journal = {Annals of Mathematical Statistics}, year = {1940}, volume = {11}, number = {2}, pages = {204--209}, doi = {10.1214/aoms/1177731915}}
@article{welch1951, author = {Welch, B. L.}, title = {On the comparison of several mean values: an alternative approach}, journal = {Biometrika}, year = {1951}, volume = {38}, number = {3/4}, pages = {330--336}, doi = {10.1093/biomet/38.3-4.330}}
@article{tukey1949, author = {Tukey, John W.}, title = {Comparing individual means in the analysis of variance}, journal = {Biometrics}, year = {1949}, volume = {5}, number = {2}, pages = {99--114}, doi = {10.2307/3001913}}
@article{kramer1956, author = {Kramer, Clyde Young}, title = {Extension of multiple range tests to group means with unequal numbers of replications}, journal = {Biometrics}, year = {1956}, volume = {12}, number = {3}, pages = {307--310}, doi = {10.2307/3001469}}
@article{hotelling1931, author = {Hotelling, Harold}, title = {The generalization of {Student}'s ratio}, journal = {Annals of Mathematical Statistics}, year = {1931}, volume = {2}, number = {3}, pages = {360--378}, doi = {10.1214/aoms/1177732979}}
@article{wilks1932, author = {Wilks, S. S.}, title = {Certain generalizations in the analysis of variance}, journal = {Biometrika}, year = {1932}, volume = {24}, number = {3/4}, pages = {471--494}, doi = {10.1093/biomet/24.3-4.471}}
@article{pillai1955, author = {Pillai, K. C. S.}, title = {Some new test criteria in multivariate analysis}, journal = {Annals of Mathematical Statistics}, year = {1955}, volume = {26}, number = {1}, pages = {117--121}, doi = {10.1214/aoms/1177728599}}
"""

BIBTEX: dict[str, str] = {
    found[1]: found[0] for found in re.finditer(r"@\w+\{(\w+),.*\}", _ENTRIES)
}
