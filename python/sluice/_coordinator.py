"""tf.train.Coordinator: threads that stop together, and LooperThread."""
import contextlib
import sys
import threading
import time

from sluice import _errors
from sluice._api import export


@export("train.Coordinator")
class Coordinator:
    def __init__(self, clean_stop_exception_types=None):
        self._clean = tuple(clean_stop_exception_types or (_errors.OutOfRangeError,))
        self._lock, self._stop, self._error, self._threads = threading.Lock(), threading.Event(), None, set()
        self._joined = False

    @property
    def joined(self):
        return self._joined

    def request_stop(self, ex=None):
        """Asks all threads to stop. An exception is raised again by join(), unless it is one of a clean stop."""
        with self._lock:
            if isinstance(ex, tuple):
                ex = ex[1]
            if self._joined:
                if isinstance(ex, Exception):
                    raise ex
                return
            if not self._stop.is_set():
                if ex is not None and not isinstance(ex, self._clean):
                    self._error = ex
                self._stop.set()

    def clear_stop(self):
        with self._lock:
            self._joined, self._error = False, None
            self._stop.clear()

    def should_stop(self):
        return self._stop.is_set()

    def wait_for_stop(self, timeout=None):
        return self._stop.wait(timeout)

    @contextlib.contextmanager
    def stop_on_exception(self):
        try:
            yield
        except BaseException as error:
            self.request_stop(error)
            if not isinstance(error, Exception):
                raise

    def register_thread(self, thread):
        with self._lock:
            self._threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for the threads; after a stop was requested, for |stop_grace_period_secs| at most."""
        with self._lock:
            waiting = list(self._threads.union(threads or ()))
        while any(t.is_alive() for t in waiting) and not self._stop.wait(1.0):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        while any(t.is_alive() for t in waiting) and time.monotonic() < deadline:
            next(t for t in waiting if t.is_alive()).join(0.1)
        left = [t.name for t in waiting if t.is_alive()]
        with self._lock:
            self._joined, self._threads = True, set()
            if self._error is not None:
                raise self._error
        if left:
            if not ignore_live_threads:
                raise RuntimeError("Coordinator stopped with threads still running: %s" % " ".join(left))
            print("Coordinator stopped with threads still running: %s" % " ".join(left), file=sys.stderr)

    def raise_requested_exception(self):
        with self._lock:
            if self._error is not None:
                raise self._error


@export("train.LooperThread")
class LooperThread(threading.Thread):
    """Calls run_loop() every |timer_interval_secs| until the coordinator stops; None: again and again."""

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        super().__init__(daemon=True)
        if not isinstance(coord, Coordinator):
            raise ValueError("'coord' argument must be a Coordinator: %s" % (coord,))
        self._coord, self._interval = coord, timer_interval_secs
        self._target_function, self._args_given, self._kwargs_given = target, args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self):
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                while not self._coord.wait_for_stop(self._interval):
                    self.run_loop()
            self.stop_loop()

    def start_loop(self):
        pass

    def stop_loop(self):
        pass

    def run_loop(self):
        if self._target_function:
            self._target_function(*self._args_given, **self._kwargs_given)
