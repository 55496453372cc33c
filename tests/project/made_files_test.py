#!/usr/bin/env python3
"""Files that tools make or read: the manual pages, the figures of the pages, the citation.

made_files_test.py MAN VERSION DATE: MAN is the folder of the built manual pages. A test is skipped if its tool is absent.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FIGURES = PROJECT / "docs/figures"
MAN, VERSION, DATE = (Path(sys.argv[1]), *sys.argv[2:4]) if len(sys.argv) == 4 else sys.exit(__doc__)


def numbers_of(line):
    """The numbers of a line of a page, without thousands separators."""
    return {float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", line)}


class ManualPages(unittest.TestCase):
    def setUp(self):
        if not shutil.which("help2man"):
            self.skipTest("no help2man")
        self.pages = {path.stem: path.read_text() for path in MAN.glob("*.1")}

    def sections(self, page):
        return dict(re.findall(r'^\.SH "?([A-Z ]+)"?\n(.*?)(?=^\.SH|\Z)', self.pages[page], re.M | re.S))

    def test_every_command_and_family_has_a_page(self):
        commands = re.findall(r"^\.TP\n([a-z]+)\n", self.sections("warpnet")["DESCRIPTION"], re.M)
        self.assertGreater(len(commands), 15)
        families = [f"generate-{name}" for name in ("blocks", "cfg", "kernel", "sm", "warps")]
        self.assertEqual(set(self.pages), {"warpnet", *(f"warpnet-{name}" for name in [*commands, *families])})

    def test_pages_have_their_sections(self):
        for page in self.pages:
            sections = self.sections(page)
            self.assertIn("a bug in this program", sections["EXIT STATUS"], page)
            self.assertNotIn("Exit code", sections["EXAMPLES"], page)
            self.assertIn("warpnet", sections["SEE ALSO"], page)
            self.assertIn(f'"{DATE}" "warpnet {VERSION}"', self.pages[page])
        for section, word in (("ENVIRONMENT", "NO_COLOR"), ("FILES", ".pnml")):
            self.assertIn(word, self.sections("warpnet")[section])

    def test_each_paragraph_of_ours_is_on_its_page(self):
        texts = re.split(r"^= (.*)\n", (PROJECT / "cli/man_pages.txt").read_text(), flags=re.M)[1:]
        for command, text in zip(texts[::2], texts[1::2]):
            page = self.pages[command.replace(" ", "-")]
            for word in re.findall(r"\b[a-z]{4,}\b", text):
                self.assertIn(word, page, command)

    def test_pages_are_roff(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc")
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *sorted(MAN.glob("*.1"))], capture_output=True, text=True)
        self.assertEqual(lint.stdout, "")


class Figures(unittest.TestCase):
    def setUp(self):
        self.recorded = json.loads((FIGURES / "figures.json").read_text())

    def test_the_script_makes_the_figures(self):
        made = subprocess.run([sys.executable, "-c", "import matplotlib; print(matplotlib.__version__)"], capture_output=True, text=True)
        if not made.stdout.startswith("3.6."):
            self.skipTest(f"the figures are of matplotlib 3.6, here is {made.stdout.strip() or 'none'}")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, FIGURES / "make.py", folder], check=True)
            for name in self.recorded:
                self.assertEqual((Path(folder) / f"{name}.svg").read_text(), (FIGURES / f"{name}.svg").read_text(), name)

    def test_recorded_figures_are_on_their_pages(self):
        for name, figure in self.recorded.items():
            self.assertEqual(set(figure["source"]), {"page", "command", "machine", "date"}, name)
            lines = [numbers_of(line) for line in (PROJECT / figure["source"]["page"]).read_text().splitlines() if line.startswith("| ")]
            for row in figure["rows"]:
                # The page rounds the largest numbers.
                values = {value for value in row.values() if isinstance(value, (int, float)) and value < 1e15}
                self.assertLessEqual(values, set().union(*lines), row)
            for bracket in figure.get("brackets", []):
                numbers = numbers_of((PROJECT / bracket["page"]).read_text())
                self.assertLessEqual({bracket["found"], bracket["upper"]}, numbers, bracket)


class Citation(unittest.TestCase):
    def test_it_names_this_version(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text())
        self.assertEqual(citation["cff-version"], "1.2.0")
        for key in ("message", "title", "authors"):  # required by the format
            self.assertTrue(citation[key], key)
        self.assertEqual((citation["version"], citation["date-released"]), (VERSION, DATE))
        self.assertIn("BSD 3-Clause", (PROJECT / "LICENSE").read_text())
        self.assertEqual(citation["license"], "BSD-3-Clause")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
