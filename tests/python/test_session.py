"""Sessions of the Python package: feeds, fetches, errors, signals, forks."""
import json
import os
import pickle
import signal
import socket
import threading
import unittest

import numpy as np

import sluice as tf
from sluice import _timeline


def interrupt_when(event):
    """Sends this process a Ctrl-C once |event| is set."""
    def send():
        if event.wait(60):
            os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    return thread


class SessionTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_runs_what_is_fed(self):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run(x * 2.0, {x: [[1.0, 2.0]]}), [[2.0, 4.0]])

    def test_names_the_operation_that_failed(self):
        x = tf.placeholder(tf.int32, [], name="x")
        y = tf.floordiv(1, x, name="quotient")
        with tf.Session() as session:
            with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
                session.run(y, {x: 0})
        self.assertEqual(caught.exception.op.name, "quotient")

    def test_arrays_are_not_copied(self):
        x = tf.placeholder(tf.float32, [None])
        given = np.zeros(1000, np.float32)
        seen = []
        y = tf.py_func(lambda a: seen.append(a.__array_interface__["data"][0]), [x], [], stateful=True)
        with tf.Session() as session:
            fetched = session.run(tf.identity(x), {x: given})
            self.assertEqual(fetched.__array_interface__["data"][0], given.__array_interface__["data"][0])
            self.assertFalse(fetched.flags.writeable)  # others have these bytes too
            made = session.run(tf.zeros([3]) + x[:3], {x: given})
            made[0] = 1.0
            session.run(y, {x: given})
        self.assertEqual(len(seen), 1)

    def test_callables(self):
        x = tf.placeholder(tf.float32, [])
        with tf.Session() as session:
            call = session.make_callable([x + 1.0, {"twice": x * 2.0}], [x])
            self.assertEqual(call(3.0), [4.0, {"twice": 6.0}])
            with self.assertRaises(TypeError):
                call()

    def test_partial_runs(self):
        a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
        first = a + b
        second = first * c
        with tf.Session() as session:
            handle = session.partial_run_setup([first, second], [a, b, c])
            self.assertEqual(session.partial_run(handle, first, {a: 1.0, b: 2.0}), 3.0)
            self.assertEqual(session.partial_run(handle, second, {c: 10.0}), 30.0)

    def test_interactive_sessions_are_the_default(self):
        session = tf.InteractiveSession()
        try:
            self.assertEqual(tf.constant(3).eval(), 3)
        finally:
            session.close()
        self.assertIsNone(tf.get_default_session())

    def test_traces_name_the_nodes_of_a_step(self):
        x = tf.add(tf.placeholder_with_default(1.0, []), 2.0, name="the_sum")
        metadata = tf.RunMetadata()
        with tf.Session() as session:
            session.run(x, options=tf.RunOptions(trace_level=3), run_metadata=metadata)
        names = [node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats]
        self.assertIn("the_sum", names)
        trace = json.loads(_timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
        self.assertIn("the_sum", [event["args"]["name"] for event in trace["traceEvents"]])

    def test_sessions_and_graphs_are_not_pickled(self):
        x = tf.constant(1.0)
        with tf.Session() as session:
            for value in session, x, x.op, x.graph:
                with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                    pickle.dumps(value)

    def test_forked_processes_are_refused(self):
        x = tf.constant(1.0)
        with tf.Session() as session:
            session.run(x)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    session.run(x)
                except RuntimeError as error:
                    code = 0 if "forked" in str(error) else 2
                finally:
                    os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(session.run(x), 1.0)


class InterruptTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        # A test that a shell started in the background would ignore the signal.
        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, old)

    def blocked(self, target=""):
        """(an event that a step sets before it waits for ever, what to fetch)"""
        started = threading.Event()
        with tf.control_dependencies([tf.py_func(lambda: started.set(), [], [])]):
            queue = tf.FIFOQueue(1, tf.float32)
            return started, queue.dequeue()

    def test_a_step_is_interrupted_and_the_session_goes_on(self):
        started, waiting = self.blocked()
        with tf.Session() as session:
            for _ in range(2):
                started.clear()
                thread = interrupt_when(started)
                with self.assertRaises(KeyboardInterrupt):
                    session.run(waiting)
                thread.join(60)
                self.assertEqual(session.run(tf.constant(2.0)), 2.0)

    def test_calls_of_a_server_that_does_not_reply_are_interrupted(self):
        tf.constant(1.0)
        for call in (lambda target: tf.Session(target).list_devices(), tf.Session.reset):
            with socket.socket() as silent:
                silent.bind(("localhost", 0))
                silent.listen(1)
                connected = threading.Event()
                threading.Thread(target=lambda s=silent, e=connected: (s.accept(), e.set()), daemon=True).start()
                interrupt_when(connected)
                with self.assertRaises(KeyboardInterrupt):
                    call("grpc://localhost:%d" % silent.getsockname()[1])

    def test_a_partial_run_is_interrupted(self):
        started, waiting = self.blocked()
        with tf.Session() as session:
            handle = session.partial_run_setup([waiting], [])
            started.wait(60)  # it has begun with the setup
            with self.assertRaises(KeyboardInterrupt):
                threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
                session.partial_run(handle, waiting)

    def test_steps_of_other_threads_go_on(self):
        started, waiting = self.blocked()
        feeding = tf.FIFOQueue(1, tf.float32)
        enqueue, dequeue = feeding.enqueue(5.0), feeding.dequeue()
        with tf.Session() as session:
            found = []
            other = threading.Thread(target=lambda: found.append(session.run(dequeue)))
            other.start()
            thread = interrupt_when(started)
            with self.assertRaises(KeyboardInterrupt):
                session.run(waiting)
            thread.join(60)
            session.run(enqueue)
            other.join(60)
        self.assertEqual(found, [5.0])

    def test_a_program_with_its_own_handler_decides(self):
        seen = []
        release = tf.FIFOQueue(1, tf.float32)
        enqueue = release.enqueue(1.0)
        started = threading.Event()
        with tf.control_dependencies([tf.py_func(lambda: started.set(), [], [])]):
            dequeue = release.dequeue()
        old = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        try:
            with tf.Session() as session:
                def send():
                    started.wait(60)
                    os.kill(os.getpid(), signal.SIGINT)
                    session.run(enqueue)
                thread = threading.Thread(target=send)
                thread.start()
                self.assertEqual(session.run(dequeue), 1.0)
                thread.join(60)
        finally:
            signal.signal(signal.SIGINT, old)
        self.assertEqual(seen, [1])

    def test_a_step_of_a_server_is_interrupted(self):
        server = tf.train.Server.create_local_server()
        started, waiting = self.blocked()
        with tf.Session(server.target) as session:
            thread = interrupt_when(started)
            with self.assertRaises(KeyboardInterrupt):
                session.run(waiting)
            thread.join(60)

    def test_waiting_for_a_server_is_interrupted(self):
        server = tf.train.Server.create_local_server()
        now = threading.Event()
        with self.assertRaises(KeyboardInterrupt):
            interrupt_when(now)
            now.set()
            server.join()


if __name__ == "__main__":
    unittest.main()
