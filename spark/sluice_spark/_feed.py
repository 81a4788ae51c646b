"""The rows that Spark's tasks send to a worker: a server in the worker's process, and the two ends of a connection."""
import itertools
import queue
import threading
import time

from sluice_spark import _wire

CHUNK = 256  # rows in a message
QUEUED = 64  # chunks that wait in a worker


class _Origin:
    """A partition that is being sent, and the results for its rows."""

    def __init__(self):
        self.condition = threading.Condition()
        self.results = []
        self.ended = False  # all of its rows were taken

    def add(self, results):
        with self.condition:
            self.results.extend(results)
            self.condition.notify_all()


_END_OF_PARTITION, _END = object(), object()


class DataFeed:
    """What a worker reads its rows from. For one thread."""

    def __init__(self, host, key, timeout):
        self._key, self._timeout = key, timeout
        self._queue = queue.Queue(QUEUED)
        self._left, self._origin = [], None  # the rest of a chunk
        self._waiting = []  # the origins of the rows of the last batches that have no results yet
        self._ended = self._stopped = False
        self._listener = _wire.listen(host)
        self.address = (host, self._listener.address[1])

    # --- For the worker ---

    def next_batch(self, size):
        """Up to |size| rows. Fewer at the end of a partition of inference and of the feed; none when it has ended."""
        rows = []
        deadline = time.monotonic() + self._timeout
        while len(rows) < size and not self._ended:
            if self._left:
                taken, self._left = self._left[:size - len(rows)], self._left[size - len(rows):]
                rows.extend(taken)
                if self._origin:
                    self._waiting.extend([self._origin] * len(taken))
                continue
            try:
                kind, origin, chunk = self._queue.get(timeout=1)
            except queue.Empty:
                if time.monotonic() > deadline:
                    raise TimeoutError("no rows came for %g s: call train, inference or shutdown of the cluster, or raise "
                                       "feed_timeout of sluice_spark.run" % self._timeout)
                continue
            if kind is _END:
                self._ended = True
            elif kind is _END_OF_PARTITION:
                if rows and origin is self._origin:
                    break
            else:
                self._left, self._origin = chunk, origin
        return rows

    def should_stop(self):
        """Whether there will be no more rows."""
        return self._ended or self._stopped

    def batch_results(self, results):
        """Gives the results for the rows of the last batches, one for each, in their order."""
        results = list(results)
        if len(results) > len(self._waiting):
            raise ValueError("%d results for %d rows of inference" % (len(results), len(self._waiting)))
        for result in results:
            self._waiting.pop(0).add([result])

    def terminate(self):
        """No more rows are needed: those that are still sent are thrown away."""
        self._stopped = True
        threading.Thread(target=self._drain, daemon=True).start()

    # --- For the cluster ---

    def start(self):
        """Takes rows from now on. They are unpickled in threads, which must not import modules while others do."""
        import pyspark.sql.types  # noqa: F401: of the rows of DataFrames
        threading.Thread(target=self._serve, daemon=True).start()

    def end(self):
        """The feed ends behind the rows that were sent."""
        self._queue.put((_END, None, None))

    def _drain(self):
        while self._queue.get()[0] is not _END:
            pass

    def _serve(self):
        while True:
            try:
                peer = self._listener.accept()
            except OSError:  # somebody who left at once
                continue
            threading.Thread(target=self._receive, args=(peer,), daemon=True).start()

    def _receive(self, peer):
        if not _wire.authenticate(peer, self._key):
            return
        try:
            wants_results = peer.recv()
            origin, count = _Origin() if wants_results else None, 0
            while True:
                chunk = peer.recv()
                if chunk is None:
                    break
                count += len(chunk)
                if not self._stopped:
                    self._queue.put((None, origin, chunk))
                peer.send("stopped" if self._stopped and not wants_results else "more")
            if not wants_results:
                peer.send("done")
                return
            self._queue.put((_END_OF_PARTITION, origin, None))
            with origin.condition:
                while len(origin.results) < count:
                    origin.condition.wait()
                peer.send(origin.results)
        except (OSError, EOFError):
            pass  # the task that sent was ended; Spark runs it again, or the job has failed
        finally:
            peer.close()


# --- In Spark's tasks ---

CONNECT_SECONDS = 5  # a worker that was there listens


def _cause(driver, key, otherwise):
    """Why the cluster failed, which the driver knows."""
    try:
        peer = _wire.connect(driver, key, "the driver")
        peer.send(("why",))
        return peer.recv() or otherwise
    except (OSError, EOFError):
        return otherwise


def send(plan, index, rows, wants_results):
    """Sends the rows of partition |index| to its worker. Returns the results, if it wants some."""
    name, address = plan["workers"][index % len(plan["workers"])]
    try:
        peer = _wire.connect(address, plan["key"], "the feed of " + name, CONNECT_SECONDS)
        with peer:
            return _send_all(peer, rows, wants_results)
    except (OSError, EOFError) as error:
        what = "%s ended while rows were sent to it (%s)" % (name, error or type(error).__name__)
        raise RuntimeError(_cause(plan["driver"], plan["key"], what)) from None


def _send_all(peer, rows, wants_results):
    peer.send(wants_results)
    rows = iter(rows)
    while True:
        chunk = list(itertools.islice(rows, CHUNK))
        if not chunk:
            break
        peer.send(chunk)
        if peer.recv() == "stopped":
            break
    peer.send(None)
    results = peer.recv()
    return results if wants_results else []
