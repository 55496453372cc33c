#!/usr/bin/env python3
"""The documentation as a site, by MkDocs.

build_site.py WARPNET OUT: the pages of the whole project, in their folders, and a page per command and topic with the
help text of the program WARPNET. Links to other files of the project lead to copies of these files. A broken link is an error.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
STYLE = "table { display: block; overflow-x: auto; }\n"  # a wide table is scrolled, not the page
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
NAVIGATION = {
    "Tutorials": ["docs/tutorials/first-bound.md", "docs/tutorials/deadline.md", "docs/tutorials/python.md"],
    "How to": ["docs/how-to/counts.md", "docs/how-to/predict.md", "docs/how-to/strings.md", "docs/how-to/replay.md", "docs/how-to/properties.md",
               "docs/how-to/cpp.md", "python/README.md", "docs/how-to/cluster.md"],
    "Explanation": ["docs/explanation/machines.md", "docs/explanation/worst-case.md", "docs/explanation/kernel-makespan.md", "docs/explanation/accuracy.md", "examples/papers/README.md",
                    "examples/measurements/README.md", "docs/explanation/other-tools.md"],
    "Reference": ["docs/reference/commands.md", "docs/reference/topics.md", "docs/reference/semantics.md", "docs/reference/pnml.md",
                  "docs/reference/task-sets.md", "docs/reference/measured-tables.md", "docs/reference/orders-and-sweeps.md", "docs/reference/glossary.md",
                  "docs/reference/family-warps.md", "docs/reference/family-kernel.md", "docs/reference/family-blocks.md", "docs/reference/family-cfg.md",
                  "docs/reference/family-sm.md", "docs/reference/sm-model.md", "docs/reference/ptx.md", "netgen/code/sass/README.md",
                  "netgen/code/gcn/README.md"],
    "Internals": ["docs/internals/executors.md", "analysis/README.md", "docs/internals/command-line.md", "pnml/README.md", "netgen/README.md", "tests/README.md",
                  "docs/internals/benchmarks.md", "docs/internals/performance.md", "CONTRIBUTING.md"],
}


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def help_pages(program):
    """Pages made from the program's own texts: (path, Markdown)."""
    overview = output(program, "help")
    topics, commands = (re.findall(r"^  ([a-z-]+) {2,}", part, re.M) for part in overview.split("Commands,"))
    for path, title, names, words in [("commands", "Commands", commands, lambda name: (name, "--help")),
                                      ("topics", "Topics", topics, lambda name: ("help", name))]:
        sections = [f"## {name}\n\n```text\n{output(program, *words(name)).strip()}\n```\n" for name in names]
        yield f"docs/reference/{path}.md", f"# {title}\n\n" + "\n".join(sections)


def stage(program, folder):
    """Copies all pages, and the files that they link to; returns the number of pages."""
    listed = output("git", "-C", str(PROJECT), "ls-files").split("\n")
    tracked = {Path(name) for name in listed if (PROJECT / name).is_file()}
    pages = [path for path in tracked if path.suffix == ".md"]
    linked = {(PROJECT / page.parent / link).resolve() for page in pages for link in LINK.findall((PROJECT / page).read_text())}
    for path in {*pages, *(path for path in tracked if (PROJECT / path).resolve() in linked)}:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PROJECT / path, folder / path)
    for path, text in help_pages(program):
        (folder / path).write_text(text)
    return len(pages)


def title(path):
    return path.read_text().split("\n", 1)[0].removeprefix("# ")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "pages"
        folder.mkdir()
        pages = stage(str(program), folder)
        (folder / "site.css").write_text(STYLE)
        lines = ["site_name: warpnet", "theme: {name: mkdocs, highlightjs: false}", "extra_css: [site.css]", f"docs_dir: {folder}", f"site_dir: {out}", "nav:",
                 "  - Start: README.md", "  - Contents: docs/README.md"]
        for heading, paths in NAVIGATION.items():
            lines += [f"  - {heading}:", *(f'      - "{title(folder / path)}": {path}' for path in paths)]
        lines += ["  - Changes: CHANGELOG.md", "  - References: REFERENCES.md"]
        config = Path(work) / "mkdocs.yml"
        config.write_text("\n".join(lines) + "\n")
        made = subprocess.run(["mkdocs", "build", "--strict", "--config-file", str(config)], capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit("\n".join(line for line in made.stderr.split("\n") if not line.startswith("INFO")))
    print(f"{pages} pages in {out}")


if __name__ == "__main__":
    main()
