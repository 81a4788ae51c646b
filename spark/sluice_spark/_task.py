"""What a task of the barrier stage does: it finds a port, learns the addresses of all, and runs its part of the cluster in a
process, watched by the driver."""
import json
import os
import pickle
import subprocess
import sys
import threading

from sluice_spark import _node, _wire

TAIL = 40  # lines of a failed task's output that the driver shows
GRACE_SECONDS = 10


class _Output(threading.Thread):
    """Copies the output of the process to the executor's log and keeps its last lines."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.lines = stream, []
        self.start()

    def run(self):
        for line in self.stream:
            sys.stderr.write(line)
            self.lines = self.lines[-TAIL + 1:] + [line.rstrip("\n")]


def _start(plan, job, index, cluster, host):
    """Starts the process. Returns it, the address of its feed and its output."""
    reader, writer = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", "from sluice_spark import _node; _node.main()"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               pass_fds=[writer], preexec_fn=_node.die_with_parent,
                               env=dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path)))
    os.close(writer)
    output = _Output(open(process.stdout.fileno(), errors="replace", closefd=False))
    pickle.dump(dict(plan["node"], job_name=job, task_index=index, cluster=cluster, host=host, control=writer,
                     path=[path for path in sys.path if path]), process.stdin)
    process.stdin.flush()
    with os.fdopen(reader) as control:
        line = control.readline()
    return process, json.loads(line) if line else None, output


def _stop(process):
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class _Orders(threading.Thread):
    """Carries out what the driver says. If it is gone, the task ends, too."""

    def __init__(self, driver, process):
        super().__init__(daemon=True)
        self.driver, self.process = driver, process
        self.stopped = threading.Event()
        self.start()

    def run(self):
        try:
            while True:
                word = self.driver.recv()
                if word == "stop":
                    break
                if word == "end feed" and self.process.poll() is None:
                    self.process.stdin.close()
        except (OSError, EOFError):
            pass
        self.stopped.set()
        if self.process.poll() is None:
            _stop(self.process)


def run(plan, _):
    """A task of the barrier stage. Failures are told to the driver, not raised: Spark would start the stage anew."""
    from pyspark import BarrierTaskContext
    context = BarrierTaskContext.get()
    number = context.partitionId()
    jobs = plan["jobs"]
    job, index = jobs[number]
    host = context.getTaskInfos()[number].address.split(":")[0]
    driver = _wire.connect(plan["driver"], plan["node"]["key"], "the driver")
    driver.send(("hello", "/job:%s/task:%d" % (job, index), number, host))
    if driver.recv() != "go":
        return iter([])  # the stage of a cluster that has failed, started anew
    mine = {"number": number, "address": "%s:%d" % (host, _wire.free_port())}
    everyone = sorted((json.loads(text) for text in context.allGather(json.dumps(mine))), key=lambda one: one["number"])
    cluster = {}
    for one in everyone:
        cluster.setdefault(jobs[one["number"]][0], []).append(one["address"])
    process, feed, output = _start(plan, job, index, cluster, host)
    driver.send(("started", feed, cluster))
    orders = _Orders(driver, process)
    code = process.wait()
    output.join(GRACE_SECONDS)
    try:
        if code and not orders.stopped.is_set():
            what = "ended by signal %d" % -code if code < 0 else "failed with exit code %d" % code
            driver.send(("failed", "%s; the end of its output:\n%s" % (what, "\n".join(output.lines))))
        else:
            driver.send(("done",))
    except OSError:
        pass  # the driver is gone
    orders.stopped.wait()  # until then the stage must not end: it is what keeps the executors
    return iter([])
