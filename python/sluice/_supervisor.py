"""tf.train.Supervisor: a session, and threads that save and write while it trains."""
import contextlib
import os
import time

from sluice import _errors
from sluice._api import export
from sluice._coordinator import Coordinator, LooperThread
from sluice._file_writer import FileWriter
from sluice._global_step import get_global_step
from sluice._graph import GraphKeys, get_collection, get_default_graph
from sluice._message import message
from sluice._saver import Saver
from sluice._session_manager import SessionManager, from_collection, report_uninitialized_variables, tables_initializer
from sluice._summary import merge_all
from sluice._variables import global_variables, global_variables_initializer, group, local_variables_initializer


@export("train.Supervisor")
class Supervisor:
    USE_DEFAULT = 0

    def __init__(self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT, is_chief=True,
                 init_op=USE_DEFAULT, init_feed_dict=None, local_init_op=USE_DEFAULT, logdir=None, summary_op=USE_DEFAULT,
                 saver=USE_DEFAULT, global_step=USE_DEFAULT, save_summaries_secs=120, save_model_secs=600,
                 recovery_wait_secs=30, stop_grace_secs=120, checkpoint_basename="model.ckpt", session_manager=None,
                 summary_writer=USE_DEFAULT, init_fn=None, local_init_run_options=None):
        self._graph = graph or get_default_graph()
        self._is_chief, self._logdir, self._grace = is_chief, logdir, stop_grace_secs
        self._feed, self._init_fn, self._coord = init_feed_dict, init_fn, Coordinator()
        self._summary_secs, self._model_secs = save_summaries_secs, save_model_secs
        with self._graph.as_default():
            self._ready_op = self._default(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = self._default(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: report_uninitialized_variables(global_variables()))
            self._init_op = self._default(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = self._default(
                local_init_op, GraphKeys.LOCAL_INIT_OP, lambda: group(local_variables_initializer(), tables_initializer()))
            self._saver = self._default(saver, GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
            self._summary_op = self._default(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = get_global_step() if global_step is Supervisor.USE_DEFAULT else global_step
        self._save_path = os.path.join(logdir, checkpoint_basename) if logdir else None
        self._summary_writer = None
        if is_chief and logdir:
            os.makedirs(logdir, exist_ok=True)
            self._summary_writer = FileWriter(logdir) if summary_writer is Supervisor.USE_DEFAULT else summary_writer
        self._manager = session_manager or SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op, graph=self._graph, recovery_wait_secs=recovery_wait_secs)
        self._graph.finalize()

    @staticmethod
    def _default(given, key, make):
        return from_collection(key, make) if given is Supervisor.USE_DEFAULT and not hasattr(given, "op") else given

    coord = property(lambda self: self._coord)
    is_chief = property(lambda self: self._is_chief)
    saver = property(lambda self: self._saver)
    save_path = property(lambda self: self._save_path)
    session_manager = property(lambda self: self._manager)
    summary_op = property(lambda self: self._summary_op)
    summary_writer = property(lambda self: self._summary_writer)
    global_step = property(lambda self: self._global_step)
    init_op = property(lambda self: self._init_op)
    ready_op = property(lambda self: self._ready_op)
    save_model_secs = property(lambda self: self._model_secs)
    save_summaries_secs = property(lambda self: self._summary_secs)

    def prepare_or_wait_for_session(self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        """The chief restores or initialises the model and starts the services; the others wait for it."""
        self._coord.clear_stop()
        if self._summary_writer is not None:
            self._summary_writer.reopen()
        if self._is_chief:
            session = self._manager.prepare_session(
                master, init_op=self._init_op, saver=self._saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config,
                init_feed_dict=self._feed, init_fn=self._init_fn)
            if self._summary_writer is not None:
                self._summary_writer.add_graph(self._graph)
            if start_standard_services:
                self.start_standard_services(session)
        else:
            session = self._manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            self.start_queue_runners(session)
        return session

    PrepareSession = prepare_or_wait_for_session

    def start_standard_services(self, sess):
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            return []
        threads = []
        if self._global_step is not None and self._summary_writer is not None:
            log = message("SessionLog")
            self._summary_writer.add_session_log(log(status=log.START), int(sess.run(self._global_step)))
        if self._summary_op is not None and self._summary_secs and self._summary_writer is not None:
            threads.append(_Summaries(self, sess))
        if self._saver is not None and self._model_secs:
            threads.append(_Checkpoints(self, sess))
        if self._global_step is not None and self._summary_secs and self._summary_writer is not None:
            threads.append(_StepRate(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def start_queue_runners(self, sess, queue_runners=None):
        runners = get_collection(GraphKeys.QUEUE_RUNNERS) if queue_runners is None else queue_runners
        if queue_runners is None:
            runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [t for runner in runners for t in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def summary_computed(self, sess, summary, global_step=None):
        if self._summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = int(sess.run(self._global_step))
        self._summary_writer.add_summary(summary, global_step)

    def should_stop(self):
        return self._coord.should_stop()

    def request_stop(self, ex=None):
        self._coord.request_stop(ex)

    def wait_for_stop(self):
        self._coord.wait_for_stop()

    def stop_on_exception(self):
        return self._coord.stop_on_exception()

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Stops the services and waits for their threads."""
        self._coord.request_stop()
        try:
            self._coord.join(threads, stop_grace_period_secs=self._grace, ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self._summary_writer is not None:
                self._summary_writer.close()

    @contextlib.contextmanager
    def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
        """A session for a with statement; an error inside stops the services and is raised at the end."""
        try:
            session = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
            yield session
        except Exception as error:  # noqa: B902
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                try:
                    session.close()
                except (NameError, UnboundLocalError, _errors.OpError):
                    pass  # it was never made, or is lost


class _Service(LooperThread):
    def __init__(self, supervisor, session, seconds):
        super().__init__(supervisor.coord, seconds)
        self._supervisor, self._session = supervisor, session

    def _step(self):
        step = self._supervisor.global_step
        return None if step is None else int(self._session.run(step))


class _Summaries(_Service):
    def __init__(self, supervisor, session):
        super().__init__(supervisor, session, supervisor.save_summaries_secs)

    def run_loop(self):
        summary = self._session.run(self._supervisor.summary_op)
        self._supervisor.summary_writer.add_summary(summary, self._step())


class _Checkpoints(_Service):
    def __init__(self, supervisor, session):
        super().__init__(supervisor, session, supervisor.save_model_secs)

    def run_loop(self):
        self._supervisor.saver.save(self._session, self._supervisor.save_path, global_step=self._step())


class _StepRate(_Service):
    def __init__(self, supervisor, session):
        super().__init__(supervisor, session, supervisor.save_summaries_secs)

    def start_loop(self):
        self._last = time.time(), self._step()

    def run_loop(self):
        then, before = self._last
        now, step = self._last = time.time(), self._step()
        summary = message("Summary")()
        summary.value.add(tag=self._supervisor.global_step.op.name + "/sec", simple_value=(step - before) / (now - then))
        self._supervisor.summary_writer.add_summary(summary, step)
