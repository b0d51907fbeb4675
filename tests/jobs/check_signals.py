#!/usr/bin/env python3
"""Signals sent to real runs: what stops, what is saved, with which code, and what is written of it (SIG-01 to SIG-06).

    check_signals.py TRESTLE
"""
import os
import pathlib
import shutil
import signal
import sys
import time

import process_test_support as support


class LongSolves(support.RunTest):
    """A static problem has nothing to save: it stops in the middle of its solve, with 85."""

    def start_solving(self, ranks=1, **options):
        run = self.start(support.LONG_SOLVE, ranks, environment=support.SLOW_MOTION, **options)
        self.wait_for_phase("solve")
        time.sleep(0.5)
        return run

    def check_stopped(self, reason):
        status = self.status()
        self.assertEqual((status["state"], status["exit_code"]), ("stopped", 85))
        self.assertIn(reason, status["message"])

    def test_usr1_to_one_rank_stops_all(self):
        run = self.start_solving(2)
        os.kill(self.ranks()[1], signal.SIGUSR1)
        self.finish(run, 85)
        self.check_stopped("signal USR1")

    def test_usr1_to_the_launcher(self):
        run = self.start_solving(2)
        run.send_signal(signal.SIGUSR1)
        self.finish(run, 85)
        self.check_stopped("signal USR1")

    def test_int_xcpu_and_hup_stop(self):
        for number in (signal.SIGINT, signal.SIGXCPU, signal.SIGHUP):
            with self.subTest(number.name):
                shutil.rmtree(self.folder / "run", ignore_errors=True)  # with the status of the run before
                run = self.start_solving()
                run.send_signal(number)
                self.finish(run, 85)
                self.check_stopped("signal " + number.name[3:])

    def test_term_ends_the_run(self):
        run = self.start_solving()
        run.send_signal(signal.SIGTERM)
        self.finish(run, 85)
        self.check_stopped("signal TERM")

    def test_term_to_the_launcher_leaves_no_process_and_no_wrong_status(self):
        run = self.start_solving(2)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        self.wait_for("the end of all ranks", lambda: not self.ranks())
        self.assertIn(self.status()["state"], ("stopped", "running"))  # mpirun kills after a second, done or not

    def test_hup_that_was_ignored_stays_ignored(self):
        run = self.start_solving(wrap=["sh", "-c", 'trap "" HUP; exec "$@"', "sh"])
        run.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(run.poll())

    def test_usr2_and_pipe_do_not_stop_it(self):
        run = self.start_solving(2)
        for process in self.ranks():
            os.kill(process, signal.SIGUSR2)
            os.kill(process, signal.SIGPIPE)
        time.sleep(0.5)
        self.assertIsNone(run.poll())
        self.assertEqual(self.status()["state"], "running")

    def test_a_crash_of_one_rank_writes_one_line_and_keeps_its_code(self):
        run = self.start_solving(2)
        os.kill(self.ranks()[1], signal.SIGSEGV)
        _, err = self.finish(run, 139)
        self.assertRegex(err, r"error on rank 1: signal SEGV \(exit code 139\) in phase solve")
        self.assertEqual(err.count("error on rank"), 1)

    def test_the_file_stop(self):
        run = self.start_solving()
        (self.folder / "run/STOP").touch()
        self.finish(run, 85)
        self.check_stopped("STOP")
        self.assertFalse((self.folder / "run/STOP").exists())

    def test_a_file_stop_of_before_the_start_is_removed_with_a_warning(self):
        (self.folder / "run").mkdir()
        (self.folder / "run/STOP").touch()
        run = self.start_solving()
        time.sleep(1)
        self.assertIsNone(run.poll())
        self.assertFalse((self.folder / "run/STOP").exists())
        (self.folder / "run/STOP").touch()
        out, err = self.finish(run, 85)
        self.assertIn("A file STOP was in the run directory before this run started", out + err)
        self.check_stopped("STOP")


class EarlySignals(support.RunTest):
    def catches(self, process, number):
        for line in (pathlib.Path("/proc") / str(process) / "status").read_text().splitlines():
            if line.startswith("SigCgt:"):
                return int(line.split()[1], 16) >> (number - 1) & 1
        return 0

    def test_a_signal_at_any_time_is_not_lost_and_kills_nobody(self):
        """From the first moment of `main`, before MPI comes up, to the solve."""
        for wait in (0, 0.05, 0.1, 0.2, 0.4, 0.8):
            with self.subTest(wait):
                run = self.start(support.LONG_SOLVE, environment=support.SLOW_MOTION, arguments=["--overwrite"])
                self.wait_for("the handler", lambda: self.catches(run.pid, signal.SIGUSR1))
                time.sleep(wait)
                run.send_signal(signal.SIGUSR1)
                self.finish(run, 85)

    def test_a_second_int_ends_it_at_once(self):
        """In the middle of a phase in which the first one is not yet answered."""
        run = self.start(support.LONG_SOLVE.replace("160, 16, 16", "320, 48, 48"))
        self.wait_for_phase("mesh")
        run.send_signal(signal.SIGINT)
        time.sleep(0.2)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        self.finish(run, 130)


if __name__ == "__main__":
    support.RunTest.program = os.path.abspath(sys.argv.pop(1))
    sys.exit(0 if support.parallel_tests.main(workers=3) else 1)
