"""Files of figures: reading the report of a benchmark, tables, comparisons."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import compare  # noqa: E402
import figures  # noqa: E402


def report(*rows):
    """A report in the format of Google Benchmark."""
    return {"benchmarks": [{"run_name": name, "name": name, "run_type": "iteration", "repetition_index": i, "iterations": 10,
                            "real_time": real, "cpu_time": cpu, "time_unit": unit, "threads": 1, **counters}
                           for i, (name, real, cpu, unit, counters) in enumerate(rows)]}


def file_of(entries, cpu="a processor"):
    return {"commit": "0123456789abcdef", "changed": False, "date": "2026-11-23T12:00:00+00:00",
            "machine": {"cpu": cpu, "cores": 2, "memory_bytes": 1, "compiler": "c++"}, "benchmarks": entries}


class Figures(unittest.TestCase):
    def test_repetitions_of_a_benchmark_become_lists(self):
        rows = report(("module/64", 2.0, 1.5, "ms", {"x_plain": 144.0}), ("module/64", 3.0, 2.5, "ms", {"x_plain": 140.0}),
                      ("load/real_time", 4.0, 1.0, "us", {}))
        rows["benchmarks"].append({"run_type": "aggregate", "run_name": "module/64", "real_time": 9, "cpu_time": 9})
        module, load = figures.entries_of("run", rows)
        self.assertEqual(module["cpu_s"], [1.5e-3, 2.5e-3])
        self.assertEqual(module["counters"], {"x_plain": [144.0, 140.0]})
        self.assertEqual(figures.decisive(module), [1.5e-3, 2.5e-3])
        self.assertEqual(figures.decisive(load), [4e-6])

    def test_a_benchmark_that_failed_ends_it(self):
        rows = report(("module/64", 2.0, 1.5, "ms", {"error_occurred": True, "error_message": "wrong"}))
        with self.assertRaisesRegex(SystemExit, "run: module/64: wrong"):
            figures.entries_of("run", rows)

    def test_seconds_have_three_digits(self):
        self.assertEqual([figures.seconds(x) for x in (12.345, 0.0123456, 4.5e-6, 3.2e-9)],
                         ["12.3 s", "12.3 ms", "4.5 µs", "3.2 ns"])
        self.assertEqual([figures.number(x) for x in (1.5, 2_400_000, 54_321)], ["1.5", "2.4 M", "54.3 k"])

    def test_a_table_is_put_between_the_marks_of_a_page(self):
        entries = figures.entries_of("run", report(("module/64", 2.0, 1.5, "ms", {"x_plain": 144.0})))
        with tempfile.TemporaryDirectory() as folder:
            page, data = Path(folder) / "page.md", Path(folder) / "figures.json"
            data.write_text(json.dumps(file_of(entries)))
            page.write_text(f"before\n{figures.MARKS[0]}\nold\n{figures.MARKS[1]}\nafter\n")
            subprocess.run([HERE / "figures.py", "table", data, "--into", page], check=True)
            text = page.read_text()
            self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
            self.assertIn("| run | `module/64` | 1.5 ms | 2 ms | x_plain 144 |", text)
            self.assertNotIn("old", text)
            page.write_text("no marks")
            again = subprocess.run([HERE / "figures.py", "table", data, "--into", page], capture_output=True, text=True)
            self.assertNotEqual(again.returncode, 0)
            self.assertEqual(page.read_text(), "no marks")


class Compare(unittest.TestCase):
    def test_slower_is_what_no_repetition_contradicts(self):
        self.assertEqual(compare.verdict([1.0, 1.1, 1.2], [1.3, 1.4, 1.5], 1.03), "slower")
        self.assertEqual(compare.verdict([1.3, 1.4, 1.5], [1.0, 1.1, 1.2], 1.03), "faster")
        self.assertEqual(compare.verdict([1.0, 1.1, 1.35], [1.3, 1.4, 1.5], 1.03), "")  # ranges meet
        self.assertEqual(compare.verdict([1.0, 1.001], [1.01, 1.02], 1.03), "")  # too little
        self.assertEqual(compare.verdict([1.0], [1.09], 1.03), "")  # a single repetition is noise
        self.assertEqual(compare.verdict([1.0], [1.11], 1.03), "slower")

    def run_on(self, old, new):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / "old.json", Path(folder) / "new.json"]
            for path, content in zip(paths, (old, new)):
                path.write_text(json.dumps(content))
            return subprocess.run([HERE / "compare.py", *paths], capture_output=True, text=True)

    def test_files_are_compared_by_name(self):
        entries = figures.entries_of("run", report(*[("a", t, t, "ms", {"bytes": 100.0}) for t in (1.0, 1.1)],
                                                   *[("b", t, t, "ms", {}) for t in (1.0, 1.1)]))
        same = self.run_on(file_of(entries), file_of(entries))
        self.assertEqual((same.returncode, same.stdout), (0, "3 compared: 0 slower, 0 faster\n"))
        changed = copy.deepcopy(entries)
        changed[0]["counters"]["bytes"] = [150.0, 150.0]
        changed[1]["cpu_s"] = [0.5e-3, 0.6e-3]
        changed.append({**changed[1], "name": "c"})
        said = self.run_on(file_of(entries), file_of(changed, "another"))
        self.assertEqual(said.returncode, 1)
        self.assertIn("different machines", said.stderr)
        self.assertRegex(said.stdout, r"slower +1\.500 +100 -> 150 +bytes +run: a\n")
        self.assertRegex(said.stdout, r"faster +0\.524 .* time +run: b\n")
        self.assertRegex(said.stdout, r"only in .*new\.json: run: c\n")
        self.assertTrue(said.stdout.endswith("3 compared: 1 slower, 1 faster\n"))

    def test_what_is_no_file_of_figures_is_refused(self):
        said = self.run_on({"benchmarks": []}, {})
        self.assertEqual(said.returncode, 1)
        self.assertIn("no figures of benchmarks", said.stderr)


if __name__ == "__main__":
    unittest.main()
