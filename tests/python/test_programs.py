"""Programs that say `import tensorflow`, run unchanged in processes of their own by `python -m sluice`."""
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
LIMIT = 100  # seconds for a program; it takes a few


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    addresses = ["localhost:%d" % s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return addresses


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self._started = []

    def tearDown(self):
        for process in self._started:
            process.kill()
            process.communicate()
        self._folder.cleanup()

    def start(self, program, *arguments):
        process = subprocess.Popen([sys.executable, "-m", "sluice", os.path.join(PROGRAMS, program), *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                                   cwd=self._folder.name)
        self._started.append(process)
        return process

    def finish(self, process):
        """What a program printed; it must end well."""
        output, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, output + errors)
        return output, errors

    def run_program(self, program, *arguments):
        return self.finish(self.start(program, *arguments))

    def cluster(self, program, ps, workers, *arguments):
        """Starts |program| for each task; returns the processes of the workers."""
        addresses = free_addresses(ps + workers)
        hosts = ["--ps_hosts=" + ",".join(addresses[:ps]), "--worker_hosts=" + ",".join(addresses[ps:])]
        tasks = [("ps", i) for i in range(ps)] + [("worker", i) for i in range(workers)]
        made = [self.start(program, *hosts, "--job_name=" + job, "--task_index=%d" % i, *arguments) for job, i in tasks]
        return made[ps:], addresses

    def test_hello_from_a_local_server(self):
        self.assertIn("hello from a server", self.run_program("hello.py", "hello")[0])

    def test_placement_is_logged(self):
        output, errors = self.run_program("hello.py", "placement")
        self.assertIn("[4. 6.]", output)
        self.assertRegex(errors, r"total: \(Add\w*\): /job:localhost/replica:0/task:0/device:CPU:0")

    def test_a_device_that_is_not_there_is_an_error(self):
        process = self.start("hello.py", "missing")
        _, errors = process.communicate(timeout=LIMIT)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("Cannot assign a device for operation total", errors)

    def test_soft_placement(self):
        self.assertIn("[4. 6.]", self.run_program("hello.py", "soft")[0])

    def test_two_equal_tasks(self):
        addresses = free_addresses(2)
        tasks = [self.start("greet.py", str(i), *addresses) for i in range(2)]
        for i, task in enumerate(tasks):
            self.assertEqual(task.stdout.readline(), "task %d is here\n" % i)

    def test_a_client_drives_two_workers(self):
        _, addresses = self.cluster("serve.py", 1, 2)
        for kind in "towers", "pipeline":
            with self.subTest(kind):
                self.assertIn("better", self.run_program("in_graph.py", "grpc://" + addresses[1], kind)[0])

    def test_workers_train_by_themselves(self):
        for way in "supervisor", "monitored":
            with self.subTest(way):
                workers, _ = self.cluster("replicas.py", 2, 2, "--way=" + way, "--logdir=" + way)
                for worker in workers:
                    self.assertRegex(self.finish(worker)[0], r"done at step \d+")

    def test_workers_train_together(self):
        for way in "supervisor", "monitored":
            with self.subTest(way):
                workers, _ = self.cluster("replicas.py", 1, 2, "--sync", "--way=" + way, "--logdir=sync_" + way)
                self.one_ends(workers)

    def one_ends(self, workers):
        """One worker ends well. The other may be left waiting for a token, which TensorFlow's programs do too."""
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            ended = [w for w in workers if w.poll() is not None]
            if any(w.returncode == 0 for w in ended):
                first = next(w for w in ended if w.returncode == 0)
                self.assertTrue(re.search(r"done at step \d+", self.finish(first)[0]))
                return
            if len(ended) == len(workers):
                break
            time.sleep(0.1)
        self.fail("no worker ended well: %s" % [w.communicate() for w in workers if w.poll() is not None])

    def test_records_through_queues_to_towers(self):
        self.assertIn("better True", self.run_program("towers.py", self._folder.name)[0])

    def test_sequences(self):
        workers, _ = self.cluster("sequences.py", 1, 2, "--logdir=sequences")
        for worker in workers:
            self.assertRegex(self.finish(worker)[0], r"done at step \d+")

    def test_sequences_together(self):
        workers, _ = self.cluster("sequences.py", 1, 2, "--sync", "--logdir=sequences_sync")
        self.one_ends(workers)


if __name__ == "__main__":
    unittest.main()
