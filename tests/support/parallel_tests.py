"""Runs tests of a script side by side: each has its own folder, and most of its time it waits."""
import concurrent.futures
import sys
import time
import unittest

def units_of(suite, by_class):
    """The tests one by one, or a suite for each class, whose tests stay in order."""
    tests = [test for part in suite for test in (units_of(part, False) if isinstance(part, unittest.TestSuite) else [part])]
    if not by_class:
        return tests
    classes = {}
    for test in tests:
        classes.setdefault(type(test), unittest.TestSuite()).addTest(test)
    return list(classes.values())


class Result(unittest.TestResult):
    """Prints a line for each test as it ends, and what went wrong at once."""

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.skipped_why = None

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.skipped_why = reason

    def stopTest(self, test):
        faults = [text for one, text in self.failures + self.errors if getattr(one, "test_case", one) is test]
        word = "FAILED" if faults else f"skipped: {self.skipped_why}" if self.skipped_why else "ok"
        print(f"{time.monotonic() - self.began:6.1f} s  {test.id().partition('.')[2]}: {word}", flush=True)
        for text in faults:
            print(text, flush=True)
        super().stopTest(test)


def run_unit(unit):
    result = Result()
    unit.run(result)
    of_classes = [text for one, text in result.failures + result.errors if not isinstance(one, unittest.TestCase)
                  and not hasattr(one, "test_case")]
    for text in of_classes:  # of setUpClass and the like
        print(text, flush=True)
    return result


def main(workers, by_class=False):
    """As unittest.main for the script that is run: names of classes or tests may stand on the command line. Returns whether
    all went well."""
    loader, script = unittest.defaultTestLoader, sys.modules["__main__"]
    suite = loader.loadTestsFromNames(sys.argv[1:], script) if sys.argv[1:] else loader.loadTestsFromModule(script)
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(run_unit, units_of(suite, by_class)))
    n_failed = sum(len(result.failures) + len(result.errors) for result in results)
    n_run, n_skipped = (sum(count(result) for result in results) for count in (lambda one: one.testsRun, lambda one: len(one.skipped)))
    print(f"{n_run} tests in {time.monotonic() - began:.0f} s: {n_failed} failed, {n_skipped} skipped", flush=True)
    return n_failed == 0 and n_run > 0
