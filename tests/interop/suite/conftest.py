"""Fixtures of the conformance suite: the cluster under test, sessions on it, a watchdog.

Options: --server-cmd CMD (every task), --ps-cmd CMD, --worker-cmd CMD (overrides by job),
         --keep-logs DIR. Default: real TensorFlow's own server (ref_server.py).

A server that hangs never blocks the suite: at a test's time limit the watchdog kills the
servers, so every pending call of the client fails, and the next test gets a new cluster.
A server that dies fails the test it died in.
"""
import json
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
for p in (HERE, os.path.dirname(HERE)):
    if p not in sys.path:
        sys.path.insert(0, p)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("REF_SERVER_THREADS", "4")
for v in ("http_proxy", "https_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
    os.environ.pop(v, None)

import pytest  # noqa: E402
import cluster as cluster_lib  # noqa: E402


def pytest_addoption(parser):
    g = parser.getgroup("conformance")
    g.addoption("--server-cmd", default=cluster_lib.REF_CMD, help="command of every server task")
    g.addoption("--ps-cmd", default=None, help="command of the ps tasks")
    g.addoption("--worker-cmd", default=None, help="command of the worker tasks")
    g.addoption("--ref-cmd", default=cluster_lib.REF_CMD, help="real TensorFlow's server, for mixed clusters")
    g.addoption("--keep-logs", default=None, help="directory to keep the servers' logs in")
    g.addoption("--test-seconds", type=float, default=60.0, help="time limit of a test (watchdog), unless it has a longer one")
    g.addoption("--json-summary", default=None, help="write results by area here")


AREAS = {"session": "session protocol", "placement": "placement", "state": "state", "queues": "queues",
         "training": "training utilities", "kernels": "math/nn kernels", "wire": "wire",
         "functions": "functions", "data": "tf.data", "mixed": "mixed cluster", "collective": "mixed cluster", "lifecycle": "lifecycle"}


def area_of(nodeid):
    base = os.path.basename(nodeid.split("::")[0])
    return AREAS.get(base[len("test_"):].split("_")[0].split(".")[0], "other")


def pytest_configure(config):
    for a in sorted(set(AREAS)):
        config.addinivalue_line("markers", "%s: tests of the area %s" % (a, AREAS[a]))
    config.addinivalue_line("markers", "slow: takes several seconds on real TensorFlow")
    config.addinivalue_line("markers", "seconds(n): time limit of this test")
    config._conf_results = {}


def expected_failures():
    """{test: reason} of ../expected_failures.txt: "file.py::test[param]  reason" or "file.py  reason"."""
    rows = {}
    with open(os.path.join(os.path.dirname(HERE), "expected_failures.txt")) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.strip().partition("  ")
                rows[name] = reason
    return rows


def pytest_collection_modifyitems(config, items):
    expected = expected_failures() if config.getoption("--server-cmd") != cluster_lib.REF_CMD else {}
    for it in items:
        name = it.nodeid.split("/")[-1]
        reason = expected.get(name, expected.get(name.split("::")[0]))
        if reason is not None:
            it.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        base = os.path.basename(str(it.fspath))[len("test_"):].split("_")[0].split(".")[0]
        if base in AREAS:
            it.add_marker(getattr(pytest.mark, base))


LIVE = []          # every cluster running now
SHARED = {"c": None}


class Commands:
    def __init__(self, config):
        self.server = config.getoption("--server-cmd")
        self.ref = config.getoption("--ref-cmd")
        self.jobs = {}
        if config.getoption("--ps-cmd"):
            self.jobs["ps"] = config.getoption("--ps-cmd")
        if config.getoption("--worker-cmd"):
            self.jobs["worker"] = config.getoption("--worker-cmd")
        self.keep = config.getoption("--keep-logs")
        self.n = 0

    def make(self, jobs, **kw):
        kw.setdefault("cmd", self.server)
        kw["job_cmds"] = {**self.jobs, **kw.get("job_cmds", {})}
        if self.keep:
            self.n += 1
            kw.setdefault("log_dir", os.path.join(self.keep, "%d-%d" % (os.getpid(), self.n)))
        c = cluster_lib.Cluster(jobs, **kw)
        LIVE.append(c)
        return c


@pytest.fixture(scope="session")
def commands(request):
    return Commands(request.config)


def _drop(c):
    if c in LIVE:
        LIVE.remove(c)
    c.stop()


def pytest_sessionfinish(session, exitstatus):
    for c in list(LIVE):
        _drop(c)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    mark = item.get_closest_marker("seconds")
    limit = max(mark.args[0] if mark else 0, item.config.getoption("--test-seconds"))
    fired = []

    def fire():
        fired.append(1)
        for c in list(LIVE):
            c.kill_all()
    t = threading.Timer(limit, fire)
    t.daemon = True
    t.start()
    item._watchdog = fired
    yield
    t.cancel()


@pytest.fixture
def cluster(commands, request):
    """The shared cluster: ps 0-1, worker 0-1. Renewed when a test killed it."""
    c = SHARED["c"]
    if c is None or c.dead():
        if c is not None:
            _drop(c)
            SHARED["c"] = None
        c = SHARED["c"] = commands.make({"ps": 2, "worker": 2})
    yield c
    if getattr(request.node, "_watchdog", None):
        SHARED["c"] = None
        _drop(c)
        pytest.fail("time limit: the servers were killed by the watchdog")
    dead = c.dead()
    if dead:
        logs = "\n".join("%s:\n%s" % (k, c.log_tail(*k, n=1500)) for k, t in c.tasks.items() if not t.alive())
        SHARED["c"] = None
        _drop(c)
        pytest.fail("server died during the test: %s\n%s" % (dead, logs))
    if PROBE["bad"] or PROBE["reset_bad"] > 2:
        return
    try:
        import helpers
        helpers.reset(c.target())
        PROBE["reset_bad"] = 0
    except Exception:
        PROBE["reset_bad"] += 1


PROBE = {"bad": 0, "why": None, "ok": set(), "reset_bad": 0}


def _probe(cluster):
    """A target whose master cannot run a constant fails its session tests at once, not one time limit each."""
    if PROBE["bad"] >= 2:
        pytest.fail("no session works on this target: %s" % PROBE["why"])
    if cluster.log_dir in PROBE["ok"]:
        return
    import tensorflow.compat.v1 as tf
    import helpers
    try:
        with tf.Graph().as_default() as g:
            c = tf.constant(1)
            with helpers.session(cluster.target(), g, operation_timeout_in_ms=20000) as s:
                assert s.run(c) == 1
    except Exception as e:
        PROBE["bad"] += 1
        PROBE["why"] = "%s: %s" % (type(e).__name__, str(e)[:300])
        pytest.fail("no session works on this target: %s" % PROBE["why"])
    PROBE["ok"].add(cluster.log_dir)


@pytest.fixture
def target(cluster):
    _probe(cluster)
    return cluster.target("worker", 0)


@pytest.fixture
def target1(cluster):
    _probe(cluster)
    return cluster.target("worker", 1)


@pytest.fixture
def new_cluster(commands, request):
    """Factory of private clusters, stopped at the end of the test."""
    made = []

    def make(jobs=None, **kw):
        c = commands.make(jobs or {"ps": 1, "worker": 1}, **kw)
        made.append(c)
        return c
    yield make
    for c in made:
        _drop(c)


@pytest.fixture
def rs(target):
    """rs(graph=None, target=None, **config) -> a session on the cluster, closed at the end."""
    import helpers
    made = []

    def make(graph=None, target_=None, **kw):
        s = helpers.session(target_ or target, graph=graph, **kw)
        made.append(s)
        return s
    yield make
    for s in made:
        try:
            s.close()
        except Exception:
            pass


@pytest.fixture(autouse=True)
def _fresh_graph():
    import tensorflow.compat.v1 as tf
    if not getattr(_fresh_graph, "done", False):
        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
        _fresh_graph.done = True
    with tf.Graph().as_default():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    out = yield
    rep = out.get_result()
    res = item.config._conf_results.setdefault(item.nodeid, {"outcome": "passed", "seconds": 0.0})
    res["seconds"] = round(res["seconds"] + rep.duration, 3)
    if rep.failed:
        res["outcome"] = "failed"
        res["message"] = str(rep.longrepr)[-1500:]
    elif rep.skipped and res["outcome"] == "passed":
        res["outcome"] = "xfailed" if hasattr(rep, "wasxfail") else "skipped"


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    path = config.getoption("--json-summary")
    if not path:
        return
    results = dict(config._conf_results)
    if not results:  # under xdist the reports arrive here only as stats
        for key in ("passed", "failed", "error", "skipped", "xfailed"):
            for rep in terminalreporter.stats.get(key, []):
                if not hasattr(rep, "nodeid"):
                    continue
                r = results.setdefault(rep.nodeid, {"outcome": "passed", "seconds": 0.0})
                r["seconds"] = round(r["seconds"] + getattr(rep, "duration", 0), 3)
                if key in ("failed", "error"):
                    r["outcome"] = "failed"
                    r["message"] = str(rep.longrepr)[-1500:]
                elif key in ("skipped", "xfailed"):
                    r["outcome"] = key
    with open(path, "w") as f:
        json.dump({"server_cmd": config.getoption("--server-cmd"), "tests": results}, f, indent=1)
