"""Pages of the site that lie outside docs/, and links as they are in the repository.

Every page keeps the links that work where it lies. The site turns those to its pages into its own,
and leaves the names of files that it has no page of as plain text.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "README.md": "index.md",
    "config/README.md": "experiment.md",
    "results/README.md": "files.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Where pages come from, below the repository's top, and what the site calls them."""
NOTEBOOK = "notebook.ipynb"

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_CODE = re.compile(r"(^`{3,}.*?^`{3,}$|^    [^\n]*$)", re.MULTILINE | re.DOTALL)
_TWIN = re.compile(r"-(\d)$")


def on_files(files: Files, *, config: Any) -> Files:
    """Bring in the pages that lie elsewhere."""
    for source, name in ELSEWHERE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    text = from_notebook((ROOT / "docs" / NOTEBOOK).read_text(encoding="utf-8"))
    files.append(File.generated(config, "notebook.md", content=text))
    return files


def from_notebook(text: str) -> str:
    """Return the cells of a notebook and what they print as Markdown."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        code = cell["cell_type"] == "code"
        parts.append(f"```python\n{source}\n```" if code else source)
        printed = "".join(line for out in cell.get("outputs", []) for line in out["text"])
        parts += [f"```text\n{printed.rstrip()}\n```"] if printed else []
    return "\n\n".join(parts) + "\n"


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Point links to the site's own pages."""
    own = {name: source for source, name in ELSEWHERE.items()}
    source = own.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    known = {file.src_uri for file in files}

    def turned(link: re.Match[str]) -> str:
        picture, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        if ":" in target:
            return link[0]
        path = os.path.normpath(Path(source).parent / target)
        name = ELSEWHERE.get(path, path.removeprefix("docs/")).replace(NOTEBOOK, "notebook.md")
        if name not in known:
            return text
        here = os.path.relpath(name, Path(page.file.src_uri).parent)
        # of two headings with one name, where GitHub writes -1 MkDocs writes _1
        place = _TWIN.sub(r"_\1", anchor)
        return f"{picture}[{text}]({here}{place})"

    parts = _CODE.split(markdown)
    return "".join(part if i % 2 else _LINK.sub(turned, part) for i, part in enumerate(parts))
