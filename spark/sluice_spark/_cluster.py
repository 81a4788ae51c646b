"""The driver's side: starts the cluster in a barrier stage, feeds it, and keeps the first failure of any of its parts."""
import enum
import os
import threading
import time

from sluice_spark import _feed, _task, _wire


CAUSE_SECONDS = 10


class InputMode(enum.Enum):
    TENSORFLOW = 0  # workers read files by themselves
    SPARK = 1  # workers get the rows of RDDs or DataFrames


class ClusterError(RuntimeError):
    """The cluster failed; the text names the task and what it said last."""


def run(sc, main, args=None, num_executors=None, num_ps=0, input_mode=InputMode.TENSORFLOW, start_timeout=600,
        feed_timeout=600, answers=False):
    """Starts a cluster of |num_executors| tasks, of which |num_ps| are ps and the others workers.

    |main| is a function main(args, context) that every task calls, or a list of words: a program, which gets --job_name,
    --task_index, --ps_hosts, --worker_hosts and TF_CONFIG. With InputMode.SPARK a worker program reads rows as lines of
    its standard input; with |answers| it writes a line for each, for inference.
    """
    if not num_executors or num_executors < 1 or not 0 <= num_ps < num_executors:
        raise ValueError("num_executors=%r with num_ps=%r: there must be at least one worker" % (num_executors, num_ps))
    is_program = isinstance(main, (list, tuple))
    if not is_program and not callable(main):
        raise TypeError("main must be a function main(args, context) or a list of words, not %r" % (main,))
    slots = sc.defaultParallelism
    needed = num_executors + (1 if input_mode is InputMode.SPARK else 0)
    if slots < needed:
        raise ValueError("the job has %d slots and needs %d: one for each of the %d tasks%s; give it more executors or cores" %
                         (slots, needed, num_executors, " and one to feed them" if needed > num_executors else ""))
    cluster = Cluster(sc, num_executors, num_ps, input_mode, feed_timeout)
    cluster._start(main if is_program else None, None if is_program else (main, args), answers, start_timeout)
    return cluster


class Cluster:
    """A running cluster. Made by run(); for one thread."""

    def __init__(self, sc, num_executors, num_ps, input_mode, feed_timeout):
        self._sc, self._mode, self._feed_timeout = sc, input_mode, feed_timeout
        self._jobs = [("ps", i) for i in range(num_ps)] + [("worker", i) for i in range(num_executors - num_ps)]
        self._key = os.urandom(32)
        self._group = "sluice-" + os.urandom(6).hex()
        self._changed = threading.Condition()
        # Guarded by |_changed|.
        self._peers, self._feeds, self._done = {}, {}, set()
        self._failure = None
        self._ended = False  # everybody was told to stop
        self.cluster_spec = None

    # --- Starting ---

    def _start(self, program, function, answers, timeout):
        from pyspark import InheritableThread, cloudpickle
        host = self._sc.getConf().get("spark.driver.host", "127.0.0.1")
        self._listener = _wire.listen("0.0.0.0")
        threading.Thread(target=self._accept, daemon=True).start()
        self._address = (host, self._listener.address[1])
        plan = {
            "driver": self._address,
            "jobs": self._jobs,
            "node": {"key": self._key, "program": list(program) if program else None, "answers": answers,
                     "main": cloudpickle.dumps(function) if function else None, "feeds": self._mode is InputMode.SPARK,
                     "feed_timeout": self._feed_timeout, "num_workers": sum(job == "worker" for job, _ in self._jobs)},
        }
        count = len(self._jobs)
        stage = self._sc.parallelize(range(count), count).barrier().mapPartitions(lambda rows: _task.run(plan, rows))

        def run_stage():
            self._sc.setJobGroup(self._group, "the tasks of a Sluice cluster", interruptOnCancel=True)
            try:
                stage.collect()
            except Exception as error:  # Spark's own, such as too few slots
                self._fail("the Spark stage of the cluster", _first_lines(error))
        self._thread = InheritableThread(target=run_stage, daemon=True)
        self._thread.start()
        self._wait(lambda: len(self._feeds) == count, timeout, "all tasks of the cluster to start")

    def _accept(self):
        while True:
            try:
                peer = self._listener.accept()
            except OSError:
                if self._ended:
                    return
                continue
            threading.Thread(target=self._follow, args=(peer,), daemon=True).start()

    def _follow(self, peer):
        """Listens to one task."""
        if not _wire.authenticate(peer, self._key):
            return
        name, number = "a task", None
        try:
            hello = peer.recv()
            if hello[0] == "why":
                with self._changed:  # the cause may come a moment later than its consequence
                    self._changed.wait_for(lambda: self._failure, CAUSE_SECONDS)
                    peer.send(self._failure)
                return
            _, name, number, host = hello
            with self._changed:
                refused = self._ended or self._failure or number in self._peers
                if not refused:
                    self._peers[number] = peer
            peer.send("no" if refused else "go")
            if refused:
                return
            while True:
                message = peer.recv()
                with self._changed:
                    if message[0] == "started":
                        self._feeds[number] = message[1]
                        self.cluster_spec = message[2]
                    elif message[0] == "done":
                        self._done.add(number)
                    self._changed.notify_all()
                if message[0] == "failed":
                    self._fail(name, message[1])
        except (OSError, EOFError):
            with self._changed:
                expected = self._ended
            if not expected and number is not None:
                self._fail(name, "its executor on %s is gone: the connection to it is closed" % host)

    # --- Failing ---

    def _fail(self, who, what):
        """Keeps the first failure, and stops everything."""
        with self._changed:
            if self._failure or self._ended:
                return
            self._failure = "%s %s" % (who, what)
            self._changed.notify_all()
        self._tell_all("stop")
        self._sc.cancelJobGroup(self._group + "-feed")

    def _tell_all(self, word, only=None):
        with self._changed:
            peers = [(number, peer) for number, peer in self._peers.items()]
        for number, peer in peers:
            if only is None or self._jobs[number][0] == only:
                try:
                    peer.send(word)
                except OSError:
                    pass

    def _check(self):
        with self._changed:
            failure = self._failure
        if failure:
            self._end()
            raise ClusterError(failure)

    def _wait(self, condition, timeout, what):
        deadline = time.monotonic() + timeout
        with self._changed:
            while not condition() and not self._failure:
                left = deadline - time.monotonic()
                if left <= 0:
                    names = ["/job:%s/task:%d" % self._jobs[i] for i in range(len(self._jobs)) if i not in self._done]
                    self._failure = "waited %g s for %s; not there: %s" % (timeout, what, ", ".join(names))
                    break
                self._changed.wait(min(left, 1))
        self._check()

    def _end(self):
        """Stops all tasks; the stage ends."""
        with self._changed:
            self._ended = True
        self._tell_all("stop")
        self._thread.join(60)
        if self._thread.is_alive():
            self._sc.cancelJobGroup(self._group)
            self._thread.join(60)
        self._listener.close()

    # --- Feeding ---

    def _send(self, data, wants_results):
        if self._mode is not InputMode.SPARK:
            raise RuntimeError("the cluster reads files by itself: use input_mode=InputMode.SPARK to send it rows")
        self._check()
        rows = data.rdd if hasattr(data, "rdd") else data
        with self._changed:
            workers = [("/job:worker/task:%d" % self._jobs[i][1], address) for i, address in sorted(self._feeds.items())
                       if self._jobs[i][0] == "worker"]
        plan = {"workers": workers, "driver": self._address, "key": self._key}
        return rows.mapPartitionsWithIndex(lambda index, part: iter(_feed.send(plan, index, part, wants_results)))

    def train(self, data, epochs=1):
        """Sends the rows of an RDD or DataFrame to the workers, |epochs| times; returns when they have them all."""
        rows = self._send(data, False)
        self._sc.setJobGroup(self._group + "-feed", "rows for a Sluice cluster", interruptOnCancel=True)
        try:
            for _ in range(epochs):
                rows.count()
        except Exception as error:
            with self._changed:  # the cause may come a moment later than its consequence
                self._changed.wait_for(lambda: self._failure, CAUSE_SECONDS)
            self._check()
            raise ClusterError(_first_lines(error)) from error
        finally:
            self._sc.setLocalProperty("spark.jobGroup.id", None)
        self._check()

    def inference(self, data):
        """An RDD of the results for the rows of |data|, in their order. It is computed when it is used."""
        return self._send(data, True)

    def shutdown(self, timeout=3600):
        """Ends the feed, waits until the workers are done, and ends the cluster. ClusterError if any task failed."""
        if self._mode is InputMode.SPARK:
            self._tell_all("end feed", only="worker")
        workers = {i for i, (job, _) in enumerate(self._jobs) if job == "worker"}
        self._wait(lambda: workers <= self._done, timeout, "the workers to finish")
        self._end()


def _first_lines(error):
    lines = str(getattr(error, "java_exception", None) or error).strip().splitlines()
    return "\n".join(lines[:20])
