"""The object that every comparison returns; of an experiment, `run` and `read` return it."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bakeoff.api.plain_data import as_plain, names_of
from bakeoff.comparisons.run_tests import Comparison
from bakeoff.errors import UserError, joined, shown, unknown
from bakeoff.execution.launch import command, launch
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import is_file, write_text
from bakeoff.paths import Paths
from bakeoff.report import exhibits
from bakeoff.report.exhibit import Item
from bakeoff.report.family import Family
from bakeoff.report.judged.answer import Answer
from bakeoff.report.numbers import count, paragraph
from bakeoff.report.page import Page, render
from bakeoff.report.read import read_study
from bakeoff.report.study import Study
from bakeoff.report.tables import PageTable, as_frame, numbers_frame, to_latex, to_markdown
from bakeoff.spec import read_experiment
from bakeoff.usercode import make_importable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BRIEF = (
    "metric",
    "model_a",
    "model_b",
    "estimate",
    "ci_low",
    "p_a_better",
    "p_equivalent",
    "p_b_better",
    "pvalue",
    "pvalue_adjusted",
    "decision",
)
"""The columns of a table of pairs that fit a screen."""
FORMS = {".html": "html", ".md": "brief", ".tex": "latex"}
"""The forms of a page, by the endings of files."""
_ROWS = 30
"""Rows that fit a screen."""


class Findings:
    """The findings of a comparison.

    It shows itself at the end of a notebook's cell and in a terminal. Models that were given by
    name have these names.
    """

    def __init__(self, study: Study, first: str = "") -> None:
        self._study = study
        self._first = first  # the model whose pairs alone are shown

    @cached_property
    def _page(self) -> Page:
        return Page(self._study, alone=True)

    @property
    def _written(self) -> Page | Answer:
        """What has the forms that `save` writes."""
        return self._page

    @property
    def verdict(self) -> str:
        """The answer: a headline, and a sentence in each line after it."""
        return "\n".join(self._page.verdict.lines)

    @property
    def methods(self) -> str:
        """What was done, for the methods section of a paper."""
        return self._page.methods.text

    @property
    def bibtex(self) -> str:
        """The sources of the tests and of what `methods` cites, for BibTeX."""
        return self._page.bibtex

    @property
    def scores(self) -> pd.DataFrame:
        """One row for each model, fold and metric, as in scores.csv."""
        return self._named(self._study.scores)

    @property
    def comparisons(self) -> pd.DataFrame:
        """One row for each hypothesis of each test, as in comparisons.csv."""
        return self._tabulated(self._study.comparisons)

    @property
    def subgroups(self) -> pd.DataFrame:
        """One row for each subgroup, pair and metric, and one for the differences between them.

        As in subgroups.csv; empty where none were named.
        """
        return self._named(self._study.subgroups)

    @property
    def figures(self) -> tuple[str, ...]:
        """The names that `figure` takes."""
        return self._names("figure")

    @property
    def tables(self) -> tuple[str, ...]:
        """The names that `to_frame`, `to_latex` and `to_markdown` take."""
        return self._names("table")

    def _names(self, form: str) -> tuple[str, ...]:
        """Return the names of all figures, or of all tables."""
        return tuple(item.name for item in self._page.items if item.form == form)

    def figure(self, name: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw one of `figures`.

        Parameters
        ----------
        name : str, optional
            Its name, or the part before the first dot for the first of these; default: the
            differences of the test that decides. ``"ranks"`` is the critical difference diagram;
            where no ranks over data sets were compared, the models in the order of their scores.
        ax : matplotlib Axes, optional
            Axes to draw into, such as one of `matplotlib.pyplot.subplots`. Names and p-values stand
            beside them. Default: a new figure, as wide as it needs to be.

        Returns
        -------
        matplotlib Figure
            A new one at every call, yours to change, or that of `ax`; it shows itself at the end of
            a notebook's cell.

        Raises
        ------
        UserError
            There is none of this name, or it has several panels and `ax` is one.
        """
        from bakeoff.report.drawing import svg

        if ax is not None:
            return exhibits.draw(self._item("figure", name), self._study, ax).figure
        figure = exhibits.draw(self._item("figure", name), self._study).figure
        # matplotlib draws a figure at the end of a cell only where pyplot was set up for it
        figure._repr_svg_ = partial(svg, figure)  # type: ignore[attr-defined]
        return figure

    def figure_data(self, name: str | None = None) -> pd.DataFrame:
        """Return the numbers that one of `figures` plots, unrounded.

        Parameters
        ----------
        name : str, optional
            As `figure` takes it.

        Returns
        -------
        DataFrame
            As the CSV file beside the figure. Where a figure draws marks of several kinds, such as
            means and single scores, the column ``mark`` tells them apart.

        Raises
        ------
        UserError
            There is none of this name.

        Examples
        --------
        >>> import bakeoff
        >>> study = bakeoff.compare([1, 1, 0, 0], {"a": [1, 1, 0, 1], "b": [1, 0, 0, 1]})
        >>> study.figure_data("forest")[["model_a", "model_b", "estimate", "decision"]]
          model_a model_b  estimate             decision
        0       a       b      0.25  no_difference_shown
        """
        return numbers_frame(exhibits.draw(self._item("figure", name), self._study))

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return one of `tables` with its numbers unrounded.

        Parameters
        ----------
        table : str, optional
            Its name, or the part before the first dot. ``"flips"`` has all rows on which the best
            model and the next one differ. Default: the comparisons of the test that decides.

        Returns
        -------
        DataFrame
            As the CSV file of the table; by default as `comparisons`, one row for each pair of
            models, and empty where no test compares pairs.

        Raises
        ------
        UserError
            There is none of this name.

        Examples
        --------
        >>> import bakeoff
        >>> study = bakeoff.compare([1, 1, 0, 0], {"a": [1, 1, 0, 1], "b": [1, 0, 0, 1]})
        >>> study.to_frame("flips")
          id truth  a  b right
        0  2     1  1  0     a
        """
        if table is not None:
            return as_frame(self._table(table))
        rows: list[Comparison] = []
        if self._main is not None:
            for row in self._main.rows:
                if self._first in ("", row.model_a):
                    rows.append(row)
        return self._tabulated(rows)

    def to_markdown(self, table: str | None = None) -> str:
        """Return one of `tables` in Markdown.

        Parameters
        ----------
        table : str, optional
            Its name, or the part before the first dot; default: the pairs of the test that decides.

        Raises
        ------
        UserError
            There is none of this name.
        """
        return to_markdown(self._table(table)) + "\n"

    def to_latex(self, table: str | None = None) -> str:
        """Return one of `tables` for a paper; see `to_markdown`. It needs the package booktabs."""
        item = self._item("table", table)
        return to_latex(exhibits.build(item, self._study), item.name)

    def to_json(self) -> str:
        """Return verdict, mean scores and all comparisons, with every detail, as JSON."""
        content = as_plain(self._study, self._page.verdict)
        return json.dumps(content, indent=2, ensure_ascii=False)

    def save(self, path: str | Path) -> Path:
        """Write everything to a file.

        Parameters
        ----------
        path : path
            Its ending says what: ``.html``, the page with all figures and tables in one file;
            ``.md``, the verdict and all tables; ``.tex``, all tables; ``.json``, see `to_json`.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UserError
            Another ending, or a place that cannot be written to.
        """
        file = Path(path)
        ending = file.suffix.lower()
        if ending == ".json":
            text = self.to_json() + "\n"
        elif ending in FORMS:
            text = getattr(self._written, FORMS[ending])
        else:
            endings = joined([*FORMS, ".json"], "or")
            raise UserError(f"path: found {shown(str(path))}, expected a name with {endings}")
        write_text(file, text)
        return file

    def __repr__(self) -> str:
        lines = list(map(paragraph, self._page.verdict.lines))
        lines.append("")
        table = self._brief
        if table.rows:
            lines.append(as_text(table))
        if table.summary:
            lines.append(table.summary)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show verdict, table and figure in a notebook; every text is escaped."""
        from bakeoff.report.drawing import svg

        picture = None
        alt = ""
        if self.figures:
            drawing = exhibits.draw(self._item("figure", None), self._study)
            picture = base64.b64encode(svg(drawing.figure).encode()).decode()
            alt = drawing.alt
        return render(
            "findings.html.j2",
            verdict=self._page.verdict,
            table=self._brief,
            picture=picture,
            alt=alt,
        )

    @cached_property
    def _main(self) -> Family | None:
        """The family of pairs that the verdict goes by."""
        if self._study.mains:
            return self._study.mains[0]
        for family in self._study.families:
            if family.role == "pair":
                return family
        return None

    def _item(self, form: str, name: str | None) -> Item:
        """Return a figure or a table by its name or its kind; without a name that of the pairs."""
        # a name may be whole (`pairs.mcnemar`) or a kind (`pairs`), which is the first of its kind
        items: dict[str, Item] = {}
        first_of_kind: dict[str, Item] = {}
        for item in self._page.items:
            if item.form == form:
                items[item.name] = item
                first_of_kind.setdefault(item.kind, item)
        if name is None:
            return self._main_item(form, items)
        if name in items:
            return items[name]
        if name in first_of_kind:
            return first_of_kind[name]
        if (form, name) == ("figure", "ranks") and "scores" in items:
            return items["scores"]
        raise UserError(unknown(form, name, items))

    def _main_item(self, form: str, items: Mapping[str, Item]) -> Item:
        """Return the figure or the table of the test that decides, or the first one."""
        first = next(iter(items.values()))
        if self._main is None:
            return first
        kind = {"figure": "forest", "table": "pairs"}[form]
        return items.get(f"{kind}.{self._main.entry.name}", first)

    def _table(self, name: str | None) -> PageTable:
        return exhibits.build(self._item("table", name), self._study)

    @property
    def _brief(self) -> PageTable:
        """The part of the main table that fits a screen; its summary counts the rest."""
        table = self._table(None)
        keys = [column.key for column in table.columns]
        is_of_pairs = {"model_a", "model_b"} <= set(keys)
        # of other tables all columns are shown
        is_shown = [not is_of_pairs or key in _BRIEF for key in keys]
        rows = list(table.rows)
        if is_of_pairs and self._first:
            first = self._study.label(self._first)
            model_a = keys.index("model_a")
            rows = [row for row in rows if row[model_a].text == first]
        summary = ""
        if len(rows) > _ROWS:
            summary = f"… and {count(len(rows) - _ROWS, 'more row')}"
        brief_rows = []
        for row in rows[:_ROWS]:
            brief_rows.append(tuple(compress(row, is_shown)))
        return dataclasses.replace(
            table,
            columns=tuple(compress(table.columns, is_shown)),
            rows=tuple(brief_rows),
            summary=summary,
        )

    def _tabulated(self, rows: Iterable[Comparison]) -> pd.DataFrame:
        """Return comparisons as a table, models by their names."""
        lines = list(map(Comparison.to_row, rows))
        return self._named(pd.DataFrame(lines, columns=Comparison.columns()))

    def _named(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a table with the names of models in place of ids."""
        names = names_of(self._study)
        frame = frame.copy()
        for column in ("model", "model_a", "model_b"):
            if column in frame:
                frame[column] = frame[column].map(names.__getitem__)
        return frame


# --- experiments of the workflow


def as_text(table: PageTable) -> str:
    """Write a table of the page as pandas shows tables."""
    cells = []
    for row in table.rows:
        cells.append([cell.text for cell in row])
    titles = [column.title for column in table.columns]
    return pd.DataFrame(cells, columns=titles).to_string(index=False)


def run(
    file: str | Path,
    *,
    cores: int | None = None,
    profile: str | Sequence[str] = (),
    options: Sequence[str] = (),
) -> Findings:
    """Run an experiment by the workflow, in this folder, and read its results.

    What is there already and still holds is not made again.

    Parameters
    ----------
    file : path
        The experiment, in YAML.
    cores : int, optional
        How many; default: all of them, or what the profile says.
    profile : str or sequence of str
        Profiles of Snakemake: folders, or those of the package, such as ``"slurm"``.
    options : sequence of str
        Further options of snakemake, unchanged.

    Returns
    -------
    Findings
        As `read` returns them from ``results/<experiment>``.

    Raises
    ------
    UserError
        The file is no experiment, or the run ended with an error; what it said is on `sys.stderr`.

    Examples
    --------
    >>> import bakeoff
    >>> study = bakeoff.run("config/attrition.yaml", cores=2)  # doctest: +SKIP
    """
    experiment = read_experiment(file)
    profiles = list(profile)
    if isinstance(profile, str):
        profiles = [profile]
    code = launch(command(file, options, profiles, cores))
    if code:
        raise UserError(f"{file}: the run ended with exit code {code}; what it said is above")
    return read(Paths.of_experiment(experiment.experiment).root)


def read(folder: str | Path) -> Findings:
    """Read the results of an experiment.

    Parameters
    ----------
    folder : path
        The folder of the results, such as ``results/attrition``.

    Returns
    -------
    Findings
        With the numbers, figures and tables of the report.

    Raises
    ------
    UserError
        No results are there, or not all of them.

    Examples
    --------
    >>> import bakeoff
    >>> bakeoff.read("results/none")
    Traceback (most recent call last):
    bakeoff.errors.UserError: 'results/none' holds no results: no experiment.yaml is in it
    """
    root = Path(folder)
    resolved = root / "experiment.yaml"
    if not is_file(resolved):
        raise UserError(f"{str(folder)!r} holds no results: no experiment.yaml is in it")
    paths = Paths(str(root))
    note = Path(paths.owner())
    file = ""
    if note.is_file():
        file = note.read_text(encoding="utf-8").strip()
    experiment = read_experiment(resolved)
    if experiment.own_metrics:  # their modules lie where the run found them
        # a run writes to results/<experiment> below the folder that it is started in
        started_in = root.resolve().parents[1]
        make_importable([(started_in / file).parent, started_in])
    try:
        return Findings(read_study(**RuleInputs(experiment, paths).study(file)))
    except FileNotFoundError as error:
        raise UserError(
            f"{str(folder)!r} lacks {Path(error.filename).name}: the run has not ended, or another "
            "version of bakeoff made these results; run the experiment again"
        ) from None
