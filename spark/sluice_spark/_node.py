"""One task of a cluster, in a process of its own that a Spark task started. What it runs comes pickled on standard
input; the feed's address goes to the descriptor in the payload as a line."""
import ctypes
import json
import os
import pickle
import signal
import subprocess
import sys
import threading

from sluice_spark import _feed


class Context:
    """What a main function knows about its task."""

    def __init__(self, job_name, task_index, cluster_spec, feed, num_workers):
        self.job_name, self.task_index, self.cluster_spec = job_name, task_index, cluster_spec
        self.num_workers = num_workers
        self._feed = feed

    def start_server(self, config=None):
        """The server of this task."""
        import sluice
        return sluice.train.Server(self.cluster_spec, job_name=self.job_name, task_index=self.task_index, config=config)

    start_cluster_server = start_server

    def get_data_feed(self):
        if not self._feed:
            raise RuntimeError("/job:%s/task:%d gets no rows: only workers do, and only with InputMode.SPARK" %
                               (self.job_name, self.task_index))
        return self._feed


def die_with_parent():
    """Before a program is executed: it must not outlive the executor."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _line(row):
    """A row as a line, as Spark's pipe() would write it; the fields of a row with commas between them."""
    if isinstance(row, (list, tuple)):
        return ",".join(_line(field) for field in row)
    return str(row)


def _pump(feed, program, wants_results):
    """Writes the rows to the program, a line each; with results, reads a line for each."""
    try:
        while not feed.should_stop():
            rows = feed.next_batch(1 if wants_results else _feed.CHUNK)
            for row in rows:
                program.stdin.write(_line(row) + "\n")
            program.stdin.flush()
            if wants_results:
                feed.batch_results(program.stdout.readline().rstrip("\n") for _ in rows)
        program.stdin.close()
    except (BrokenPipeError, ValueError):
        feed.terminate()


def _run_program(words, context, feed, answers):
    spec = context.cluster_spec
    flags = ["--job_name=" + context.job_name, "--task_index=%d" % context.task_index]
    flags += ["--%s_hosts=%s" % (job, ",".join(hosts)) for job, hosts in sorted(spec.items())]
    environment = dict(os.environ, TF_CONFIG=json.dumps(
        {"cluster": spec, "task": {"type": context.job_name, "index": context.task_index}}))
    program = subprocess.Popen(words + flags, env=environment, preexec_fn=die_with_parent, text=True,
                               stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                               stdout=subprocess.PIPE if answers else None)
    if feed:
        threading.Thread(target=_pump, args=(feed, program, answers), daemon=True).start()
    code = program.wait()
    if code:
        sys.exit("%s: %s" % (words[0], "ended by signal %d" % -code if code < 0 else "exit code %d" % code))


def main():
    payload = pickle.load(sys.stdin.buffer)
    sys.path[:0] = [path for path in payload["path"] if path not in sys.path]
    feed = None
    if payload["feeds"] and payload["job_name"] == "worker":
        feed = _feed.DataFeed(payload["host"], payload["key"], payload["feed_timeout"])
    control = os.fdopen(payload["control"], "w")
    control.write(json.dumps(feed.address if feed else None) + "\n")
    control.flush()
    if feed:
        # The parent closes standard input when the feed has ended.
        def wait_for_end():
            while os.read(0, 4096):  # not by sys.stdin, whose lock Python takes when it exits
                pass
            feed.end()
        threading.Thread(target=wait_for_end, daemon=True).start()
    context = Context(payload["job_name"], payload["task_index"], payload["cluster"], feed, payload["num_workers"])
    function = arguments = None
    if not payload["program"]:
        from sluice import _imports
        _imports.install()
        function, arguments = pickle.loads(payload["main"])
    if feed:
        feed.start()
    if function:
        function(arguments, context)
    else:
        _run_program(payload["program"], context, feed, payload["answers"])
