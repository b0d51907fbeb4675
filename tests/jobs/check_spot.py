#!/usr/bin/env python3
"""Notices of preemption from a metadata service on the loopback, with all its faults (SPT-01 to SPT-11).

    check_spot.py TRESTLE
"""
import os
import sys
import time

import metadata_server
import process_test_support as support

NOTICE_TO_END = 90  # [s] with room for a busy machine; what it takes is in docs/reliability.md


class SpotTest(support.RunTest):
    cloud = ""

    def serve(self, cloud):
        server = metadata_server.MetadataServer(cloud)
        self.addCleanup(server.close)
        return server

    def start_listening(self, server, choice="auto", ranks=1, environment=None, arguments=()):
        run = self.start(support.LONG_SOLVE + f"stop: {{spot: {choice}}}\n", ranks, arguments,
                         environment=dict(support.SLOW_MOTION, TRESTLE_METADATA_URL=server.address, **(environment or {})))
        self.wait_for_phase("solve")
        self.wait_for("a request", lambda: server.requests)
        return run

    def check_goes_on(self, run, seconds=1.2):
        time.sleep(seconds)
        self.assertIsNone(run.poll())

    def check_goes_on_when_told(self, run, server):
        """The run has heard what the service says now, and goes on."""
        asked = len(server.requests)
        self.wait_for("two requests", lambda: len(server.requests) > asked + 1, run=run)
        self.assertIsNone(run.poll())

    def check_stopped(self, run, reason):
        self.finish(run, 85, NOTICE_TO_END)
        self.assertEqual(self.status()["state"], "stopped")
        self.assertIn(reason, self.status()["message"])


class Aws(SpotTest):
    def test_an_instance_action_stops_all_ranks(self):
        server = self.serve("aws")
        run = self.start_listening(server, "aws", ranks=2)
        server.say(metadata_server.aws_action())
        self.check_stopped(run, "AWS will terminate this spot instance")
        self.assertTrue(all("X-aws-ec2-metadata-token" in "".join(headers) for path, headers in server.requests if path.startswith("/latest/meta-data")))

    def test_stop_hibernate_and_a_time_that_is_over(self):
        for action in (metadata_server.aws_action("stop"), metadata_server.aws_action("hibernate", -1000)):
            server = self.serve("aws")
            run = self.start_listening(server, "aws", arguments=["--overwrite"])
            server.say(action)
            self.check_stopped(run, action["action"])

    def test_a_token_that_expired_is_fetched_again(self):
        server = self.serve("aws")
        run = self.start_listening(server)
        server.tokens.append("token-2")
        self.check_goes_on_when_told(run, server)
        server.say(metadata_server.aws_action())
        self.check_stopped(run, "AWS")

    def test_a_refused_token_leaves_the_run_unharmed_with_one_warning(self):
        server = self.serve("aws")
        server.token = 403
        run = self.start_listening(server)
        self.check_goes_on(run, 2.5)
        run.send_signal(support.signal.SIGUSR1)
        out, err = self.finish(run, 85, NOTICE_TO_END)
        self.assertEqual((out + err).count("no token: HTTP 403"), 1, out + err)

    def test_faults_of_the_service_do_not_touch_the_run_and_hide_no_notice(self):
        server = self.serve("aws")
        run = self.start_listening(server)
        for fault in (404, 500, "hang", "slow", "big", "redirect", "garbage", "drop", "chunked", "gzip"):
            with self.subTest(fault):
                for answer in (fault, None):  # with nothing but faults it would ask ever more seldom
                    server.fault = answer
                    asked = len(server.requests)
                    self.wait_for("a request", lambda: len(server.requests) > asked, run=run)
                self.assertIsNone(run.poll())
        self.assertEqual(server.redirected, 0)
        server.say(metadata_server.aws_action())
        self.finish(run, 85, 90)
        self.assertIn("AWS", self.status()["message"])


class Google(SpotTest):
    def test_preempted_stops_the_run(self):
        server = self.serve("gcp")
        run = self.start_listening(server, "gcp")
        self.check_goes_on(run)
        self.assertTrue(any("wait_for_change=true" in path for path, _ in server.requests))
        server.say(True)
        self.check_stopped(run, "Google takes this spot machine away")

    def test_a_reply_without_its_flavour_counts_for_nothing(self):
        server = self.serve("gcp")
        server.fault = "flavor"
        run = self.start_listening(server, "gcp")
        self.check_goes_on(run, 2)


class Azure(SpotTest):
    def test_an_event_of_another_machine_or_kind_or_a_cancelled_one_does_not_stop_it(self):
        server = self.serve("azure")
        run = self.start_listening(server, "azure")
        event = metadata_server.azure_event
        server.say([event(machines=["other-vm"]), event("Freeze", identity="B"), event("Reboot", identity="C"),
                    event(status="Canceled", identity="D"), {"EventType": 3}, 7])
        self.check_goes_on_when_told(run, server)
        self.assertEqual(server.acknowledged, [])
        server.say([event(identity="E")])
        self.check_stopped(run, "Azure announces Preempt of this machine")


class Elsewhere(SpotTest):
    def test_without_a_cloud_nothing_is_said(self):
        run = self.start(support.LONG_SOLVE, environment=support.SLOW_MOTION)
        self.wait_for_phase("solve")
        run.send_signal(support.signal.SIGUSR1)
        out, err = self.finish(run, 85)
        self.assertNotIn("preemption", out + err)

    def test_a_cloud_that_is_named_must_answer(self):
        run = self.start(support.LONG_SOLVE + "stop: {spot: gcp}\n", environment={"TRESTLE_METADATA_URL": "http://127.0.0.1:9"})
        _, err = self.finish(run, 69)
        self.assertIn("does not answer", err)

    def test_the_address_is_near(self):
        for address in ("http://example.org", "https://127.0.0.1", "http://8.8.8.8", "http://127.0.0.1@8.8.8.8", "file:///etc/passwd",
                        "http://127.0.0.1/path", "http://[2001:db8::1]"):
            with self.subTest(address):
                run = self.start(support.LONG_SOLVE, arguments=["--overwrite"], environment={"TRESTLE_METADATA_URL": address})
                _, err = self.finish(run, 64)
                self.assertIn("TRESTLE_METADATA_URL", err)

    def test_a_proxy_of_the_environment_is_not_used(self):
        server, proxy = self.serve("aws"), self.serve("aws")
        run = self.start_listening(server, environment={"http_proxy": proxy.address, "HTTP_PROXY": proxy.address, "all_proxy": proxy.address})
        server.say(metadata_server.aws_action())
        self.check_stopped(run, "AWS")
        self.assertEqual(proxy.requests, [])

    def test_off_asks_nobody(self):
        server = self.serve("aws")
        run = self.start(support.LONG_SOLVE + "stop: {spot: off}\n", environment=dict(support.SLOW_MOTION, TRESTLE_METADATA_URL=server.address))
        self.wait_for_phase("solve")
        self.check_goes_on(run)
        self.assertEqual(server.requests, [])


if __name__ == "__main__":
    support.RunTest.program = os.path.abspath(sys.argv.pop(1))
    sys.exit(0 if support.parallel_tests.main(workers=4) else 1)
