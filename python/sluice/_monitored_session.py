"""Monitored sessions: tf.train.MonitoredTrainingSession and related functions."""
from sluice import _errors, _hooks
from sluice._api import export
from sluice._coordinator import Coordinator
from sluice._graph import get_default_graph
from sluice._message import message
from sluice._queues import start_queue_runners
from sluice._session_manager import Scaffold, SessionManager

_LOST = (_errors.AbortedError, _errors.UnavailableError)  # a task was restarted: a new session goes on


@export("train.SessionCreator")
class SessionCreator:
    def create_session(self):
        raise NotImplementedError("create_session is not implemented for %s" % self)


class _Creator(SessionCreator):
    """Makes sessions of the default graph, which it finalizes."""

    def __init__(self, scaffold, master, config):
        self._scaffold, self._master, self._config, self._manager = scaffold or Scaffold(), master, config, None

    def _prepared(self, wait):
        self._scaffold.finalize()
        if self._manager is None:
            self._manager = SessionManager(
                local_init_op=self._scaffold.local_init_op, ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op, graph=get_default_graph(),
                recovery_wait_secs=wait, local_init_feed_dict=self._scaffold.local_init_feed_dict)
        return self._manager


@export("train.ChiefSessionCreator")
class ChiefSessionCreator(_Creator):
    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        super().__init__(scaffold, master, config)
        self._directory, self._filename = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self):
        manager = self._prepared(30)
        return manager.prepare_session(
            self._master, saver=self._scaffold.saver, checkpoint_dir=self._directory,
            checkpoint_filename_with_path=self._filename, config=self._config, init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict, init_fn=self._scaffold.init_fn)


@export("train.WorkerSessionCreator")
class WorkerSessionCreator(_Creator):
    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=30 * 60):
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self):
        return self._prepared(1).wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)


class _Monitored:
    """A session with hooks and queue runners."""

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks, self._creator = list(hooks or []), session_creator or ChiefSessionCreator()
        self._recovers, self._grace, self._session, self._coord = should_recover, stop_grace_period_secs, None, None
        for hook in self._hooks:
            hook.begin()
        self._create()

    def _create(self):
        while True:
            try:
                session = self._creator.create_session()
                self._coord = Coordinator(clean_stop_exception_types=())
                start_queue_runners(sess=session, coord=self._coord)
                for hook in self._hooks:
                    hook.after_create_session(session, self._coord)
                self._session = session
                return
            except _LOST:
                if not self._recovers:
                    raise

    @property
    def graph(self):
        return self._session.graph

    def _is_closed(self):
        return self._session is None

    def should_stop(self):
        return self._session is None or self._coord.should_stop()

    def raw_session(self):
        return self._session

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        while True:
            try:
                if self._session is None:
                    self._create()
                return self._run(fetches, feed_dict, options, run_metadata)
            except _LOST:
                if not self._recovers:
                    raise
                self._drop()

    def _drop(self):
        """Gives up a session that was lost."""
        session, self._session = self._session, None
        self._coord.request_stop()
        try:
            if session is not None:
                session.close()
        except _errors.OpError:
            pass  # it is lost in any case

    def _run(self, fetches, feed_dict, options, run_metadata):
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        asked = {"caller": fetches}
        feeds, merged, is_plain = dict(feed_dict or {}), message("RunOptions")(), options is None
        if options is not None:
            merged.CopyFrom(options)
        context = _hooks.SessionRunContext(_hooks.SessionRunArgs(fetches, feed_dict), self._session)
        for i, hook in enumerate(self._hooks):
            args = hook.before_run(context)
            if args is None:
                continue
            if args.fetches is not None:
                asked[i] = args.fetches
            for key, value in args.feed_dict.items() if args.feed_dict else ():
                if key in feeds:
                    raise RuntimeError("Same tensor is fed by two hooks or by a hook and the caller: %s" % key)
                feeds[key] = value
            if args.options is not None:
                merged.MergeFrom(args.options)
                is_plain = False
        metadata = run_metadata if run_metadata is not None else \
            message("RunMetadata")() if not is_plain and merged.trace_level else None
        try:
            results = self._session.run(asked, feeds, None if is_plain or not merged.ByteSize() else merged, metadata)
        except _LOST:
            raise
        except _errors.OpError:
            self._coord.raise_requested_exception()  # what stopped a queue runner explains more
            raise
        for i, hook in enumerate(self._hooks):
            hook.after_run(context, _hooks.SessionRunValues(results.get(i), merged, metadata))
        if context.stop_requested:
            self._coord.request_stop()
        return results["caller"]

    def run_step_fn(self, step_fn):
        """Calls step_fn(step_context), whose run_with_hooks() runs with hooks and whose session runs without."""
        return step_fn(_StepContext(self))

    def close(self):
        self._close(None)

    def _close(self, kind):
        try:
            if self._session is not None and kind in (None, _errors.OutOfRangeError, StopIteration):
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            session, self._session = self._session, None
            if session is not None:
                self._coord.request_stop()
                try:
                    session.close()
                except _errors.OpError:
                    pass  # a lost session is closed
                self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            if not self._graph_was_finalized:
                get_default_graph()._unsafe_unfinalize()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, (_errors.OutOfRangeError, StopIteration)):
            kind = _errors.OutOfRangeError
        self._close(kind)
        return kind is _errors.OutOfRangeError


class _StepContext:
    def __init__(self, monitored):
        self._monitored = monitored

    session = property(lambda self: self._monitored._session)

    def run_with_hooks(self, *args, **kwargs):
        return self._monitored.run(*args, **kwargs)

    def request_stop(self):
        raise StopIteration("step_fn has requested the iterations to stop.")


_Monitored.StepContext = _StepContext


@export("train.MonitoredSession")
class MonitoredSession(_Monitored):
    """A session with hooks, which goes on after tasks of the cluster were restarted."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


@export("train.SingularMonitoredSession")
class SingularMonitoredSession(_Monitored):
    """A session with hooks that ends with the first error."""

    def __init__(self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None, stop_grace_period_secs=120,
                 checkpoint_filename_with_path=None):
        super().__init__(ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path), hooks,
                         False, stop_grace_period_secs)


_DEFAULT = object()


@export("train.MonitoredTrainingSession")
def MonitoredTrainingSession(master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,  # noqa: N802
                             chief_only_hooks=None, save_checkpoint_secs=_DEFAULT, save_summaries_steps=_DEFAULT,
                             save_summaries_secs=_DEFAULT, config=None, stop_grace_period_secs=120,
                             log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=_DEFAULT,
                             summary_dir=None):
    """A MonitoredSession for training: the chief initialises or restores, saves checkpoints and writes summaries."""
    if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    elif save_summaries_secs is _DEFAULT:
        save_summaries_secs = None
    elif save_summaries_steps is _DEFAULT:
        save_summaries_steps = None
    if save_checkpoint_steps is _DEFAULT and save_checkpoint_secs is _DEFAULT:
        save_checkpoint_steps, save_checkpoint_secs = None, 600
    elif save_checkpoint_secs is _DEFAULT:
        save_checkpoint_secs = None
    elif save_checkpoint_steps is _DEFAULT:
        save_checkpoint_steps = None
    scaffold = scaffold or Scaffold()
    if not is_chief:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks, stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or [])
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(_hooks.StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (save_summaries_steps or 0) > 0 or (save_summaries_secs or 0) > 0:
            all_hooks.append(_hooks.SummarySaverHook(scaffold=scaffold, save_steps=save_summaries_steps,
                                                     save_secs=save_summaries_secs, output_dir=summary_dir))
    if checkpoint_dir and ((save_checkpoint_secs or 0) > 0 or (save_checkpoint_steps or 0) > 0):
        all_hooks.append(_hooks.CheckpointSaverHook(checkpoint_dir, save_secs=save_checkpoint_secs,
                                                    save_steps=save_checkpoint_steps, scaffold=scaffold))
    all_hooks += list(hooks or [])
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
