#!/usr/bin/env python3
"""The documentation as a site, by MkDocs.

build_site.py WARPNET OUT [URL]: the pages of the whole project, in their folders, and pages with the texts of the program
WARPNET: help of commands, families and topics, members of JSON, devices. Links to other files of the project lead to copies of
these files, and links to folders lead to a list of their files. A broken link is an error, in the pages and in the built site.
URL: the address at which the site will be published.
"""

import ast
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import urllib.parse
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
# A wide table is scrolled, not the page. Long names break only if a line has no other place for a break.
STYLE = """\
table { display: block; overflow-x: auto; }
h1, h2, h3, h4, h5, h6, p, li { overflow-wrap: anywhere; }
td, th { min-width: 6em; }
.dropdown-menu { max-height: 80vh; overflow-y: auto; }
"""
LINK = re.compile(r"\]\(([^)\s#]+)((?:#[^)\s]*)?)\)")
NAVIGATION = {
    "Tutorials": ["docs/tutorials/first-bound.md", "docs/tutorials/deadline.md", "docs/tutorials/python.md",
                  "docs/tutorials/cpp.md"],
    "How to": ["docs/how-to/counts.md", "docs/how-to/predict.md", "docs/how-to/strings.md", "docs/how-to/task-sets.md", "docs/how-to/replay.md",
               "docs/how-to/properties.md", "docs/how-to/sweep.md", "docs/how-to/export.md", "docs/how-to/figures.md", "docs/how-to/cpp.md",
               "python/README.md", "docs/how-to/cluster.md"],
    "Explanation": ["docs/explanation/machines.md", "docs/explanation/worst-case.md", "docs/explanation/kernel-makespan.md",
                    "docs/explanation/accuracy.md", "examples/papers/README.md", "examples/measurements/README.md",
                    "docs/explanation/other-tools.md"],
    "Reference": ["docs/reference/commands.md", "docs/reference/topics.md", "docs/reference/json.md", "docs/reference/python-api.md", "docs/reference/devices.md",
                  "docs/reference/semantics.md", "docs/reference/pnml.md", "docs/reference/task-sets.md", "docs/reference/measured-tables.md",
                  "docs/reference/orders-and-sweeps.md", "docs/reference/glossary.md", "docs/reference/family-warps.md",
                  "docs/reference/family-kernel.md", "docs/reference/family-blocks.md", "docs/reference/family-cfg.md",
                  "docs/reference/family-sm.md", "docs/reference/sm-model.md", "docs/reference/ptx.md", "netgen/code/sass/README.md",
                  "netgen/code/gcn/README.md"],
    "Internals": ["docs/internals/architecture.md", "docs/internals/executors.md", "pnml/README.md", "netgen/README.md", "analysis/README.md",
                  "docs/internals/command-line.md", "tests/README.md", "docs/internals/benchmarks.md", "docs/internals/performance.md",
                  "CONTRIBUTING.md", "CHANGELOG.md", "REFERENCES.md"],
}


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def section(heading, text):
    return f"## {heading}\n\n```text\n{text.strip()}\n```\n"


def text_page(heading, introduction, parts):
    return "\n".join([f"# {heading}\n", *([f"{introduction}\n"] if introduction else []), *parts])


def made_pages(program):
    """Pages made from the program's own texts: (path, Markdown)."""
    overview = output(program, "help")
    topics, commands = (re.findall(r"^  ([a-z-]+) {2,}", part, re.M) for part in overview.split("\nCommands "))
    families = re.findall(r"^  ([a-z]+) {2,}", output(program, "generate", "--help").split("Families:")[1].split("\n\n")[0], re.M)
    helps = []
    for name in commands:
        for words in [(name,), *((name, family) for family in families if name == "generate")]:
            helps.append(section(" ".join(words), output(program, *words, "--help")))
    yield "docs/reference/commands.md", text_page("Commands", "", helps)
    yield "docs/reference/topics.md", text_page("Topics", "", [section(name, output(program, "help", name)) for name in topics])

    schemas = sorted(path.stem for path in (PROJECT / "cli/schema").glob("*.json"))
    members = [section(name, output(program, "help", "json", name)) + f"\n[JSON Schema](../../cli/schema/{name}.json)\n" for name in schemas]
    yield "docs/reference/json.md", text_page("JSON output", "", [section("all commands", output(program, "help", "json")), *members])

    legend = " ".join(output(program, "devices").rsplit("\n\n", 1)[1].split())
    legend = re.sub("'(warpnet devices NAME)'", r"`\1`", legend)
    columns = section("facts of a device", output(program, "devices", "--columns"))
    yield "docs/reference/python-api.md", python_page()
    yield "docs/reference/devices.md", text_page("Devices", legend, [output(program, "devices", "--format", "markdown"), columns])


def docstrings(owner, name, node):
    """Signature and docstring of a class or function, and of the public members of a class: sections of a page."""
    if isinstance(node, ast.ClassDef):
        yield section(name, ast.get_docstring(node) or "")
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and ast.get_docstring(member):
                yield from docstrings(f"{name}.", member.name, member)
    else:
        decorated = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in node.decorator_list)
        call = "" if decorated else f"({ast.unparse(node.args)})"
        result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        head = textwrap.fill(f"{owner}{name}{call}{result}", 92, subsequent_indent="    ", break_long_words=False)
        yield section(f"{owner}{name}", f"{head}\n\n{ast.get_docstring(node) or ''}").replace("## ", "### ", 1 if owner else 0)


def python_page():
    """The public names of the Python package, from their docstrings."""
    package = PROJECT / "python/warpnet"
    trees = [ast.parse(path.read_text()) for path in sorted(package.glob("*.py"))]
    nodes = {node.name: node for tree in trees for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    public = next(ast.literal_eval(node.value) for tree in trees for node in tree.body
                  if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
    names = sorted((name for name in public if name in nodes), key=lambda name: (name[0].isupper(), name))
    return text_page("Python API", "[The package](../../python/README.md) has examples.", [part for name in names for part in docstrings("", name, nodes[name])])


class Stage:
    """The folder of the pages, and of the files that they link to."""

    def __init__(self, folder):
        self.folder = folder
        listed = output("git", "-C", str(PROJECT), "ls-files").split("\n")
        self.tracked = {Path(name) for name in listed if name and (PROJECT / name).is_file()}
        self.folders = {parent for path in self.tracked for parent in path.parents}

    def add_page(self, path, text):
        write(self.folder / path, LINK.sub(lambda link: f"]({self.target(path, link[1])}{link[2]})", text))

    def target(self, page, link):
        """Adds the file that a page links to. Returns a link that MkDocs follows: to a file with a suffix."""
        path = Path(os.path.normpath(page.parent / link))
        if path in self.folders:
            if path / "README.md" not in self.tracked:
                self.add_list(path)
            return f"{link.rstrip('/')}/README.md"
        if path in self.tracked and path.suffix != ".md":
            suffix = "" if path.suffix else ".txt"
            copy = self.folder / f"{path}{suffix}"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PROJECT / path, copy)
            return link + suffix
        return link

    def add_list(self, path):
        """A page in place of a folder without one: its files."""
        page = path / "README.md"
        if not (self.folder / page).exists():
            write(self.folder / page, "")  # ends a circle of links
            files = sorted(file.name for file in self.tracked if file.parent == path)
            self.add_page(page, f"# {path}\n\n" + "".join(f"- [{name}]({name})\n" for name in files))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def stage(program, folder):
    """Writes all pages, and the files that they link to; returns the number of pages."""
    staged = Stage(folder)
    pages = {path: (PROJECT / path).read_text() for path in staged.tracked if path.suffix == ".md"}
    pages |= {Path(path): text for path, text in made_pages(program)}
    for path, text in sorted(pages.items()):
        staged.add_page(path, text)
    return len(pages)


def title(path):
    return path.read_text().split("\n", 1)[0].removeprefix("# ").replace("`", "")


class Links(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.links |= {named[name] for name in ("href", "src") if named.get(name)}
        self.anchors |= {named[name] for name in ("id", "name") if named.get(name)}


def dead_links(site, root):
    """The links of the built pages that lead nowhere: (page, link). A link from `root` on begins at the top of the site."""
    pages = {path: Links(path.read_text()) for path in site.rglob("*.html")}
    for path, found in sorted(pages.items()):
        for link in sorted(found.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            name = urllib.parse.unquote(parts.path)
            target = site / name.removeprefix(root) if name.startswith("/") else path.parent / name if name else path
            target = Path(os.path.normpath(target / "index.html" if target.is_dir() else target))
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                yield path.relative_to(site), link


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    url = sys.argv[3] if len(sys.argv) == 4 else ""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "pages"
        folder.mkdir()
        pages = stage(str(program), folder)
        (folder / "site.css").write_text(STYLE)
        lines = ["site_name: warpnet", f"site_url: {json.dumps(url)}", "theme: {name: mkdocs, highlightjs: false}", "extra_css: [site.css]",
                 f"docs_dir: {folder}", f"site_dir: {out}", "nav:", "  - Start: README.md", "  - Contents: docs/README.md"]
        for heading, paths in NAVIGATION.items():
            lines += [f"  - {heading}:", *(f"      - {json.dumps(title(folder / path))}: {path}" for path in paths)]
        config = Path(work) / "mkdocs.yml"
        config.write_text("\n".join(lines) + "\n")
        made = subprocess.run(["mkdocs", "build", "--strict", "--config-file", str(config)], capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit("\n".join(line for line in made.stderr.split("\n") if not line.startswith("INFO")))
    missing = out / "404.html"  # is shown at any address: its links begin at the root of the site
    root = urllib.parse.urlsplit(url).path.rstrip("/") + "/"
    if not url:  # no root is known: at least its copy in the folder has a style
        missing.write_text(re.sub(r'((?:href|src)=")/', r"\1./", missing.read_text()))
    if dead := [f"{path}: no such file or heading: {link}" for path, link in dead_links(out, root)]:
        sys.exit("\n".join(dead))
    print(f"{pages} pages in {out}")


if __name__ == "__main__":
    main()
