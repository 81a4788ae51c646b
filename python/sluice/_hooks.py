"""Hooks of monitored sessions: tf.train.SessionRunHook and the usual ones."""
import collections
import os
import time

import numpy as np

from sluice._api import export
from sluice._file_writer import FileWriterCache
from sluice._global_step import get_global_step
from sluice._graph import get_default_graph
from sluice._import_graph import write_graph
from sluice._message import message


class SessionRunArgs(collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])):
    """What a hook adds to a run."""

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = collections.namedtuple("SessionRunValues", ["results", "options", "run_metadata"])
export("train.SessionRunArgs")(SessionRunArgs)
export("train.SessionRunValues")(SessionRunValues)


@export("train.SessionRunContext")
class SessionRunContext:
    def __init__(self, original_args, session):
        self._original_args, self._session, self._stop = original_args, session, False

    original_args = property(lambda self: self._original_args)
    session = property(lambda self: self._session)
    stop_requested = property(lambda self: self._stop)

    def request_stop(self):
        self._stop = True


@export("train.SessionRunHook")
class SessionRunHook:
    """Called around the runs of a monitored session."""

    def begin(self):
        """Before the session is made; the graph can still be changed."""

    def after_create_session(self, session, coord):
        """When a session was made, also after a failure."""

    def before_run(self, run_context):
        """Before a run; returns SessionRunArgs or None."""

    def after_run(self, run_context, run_values):
        """After a run, with what before_run() asked for."""

    def end(self, session):
        """At the end, unless there was an error."""


def _step_tensor():
    step = get_global_step()
    if step is None:
        raise RuntimeError("Global step should be created to use this hook.")
    return step


@export("train.SecondOrStepTimer")
class SecondOrStepTimer:
    """Whether something is due, every so many seconds or steps."""

    def __init__(self, every_secs=None, every_steps=None):
        if (every_secs is None) == (every_steps is None):
            raise ValueError("exactly one of every_secs and every_steps should be provided.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self):
        self._last_step = self._last_time = None

    def should_trigger_for_step(self, step):
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step):
        now = time.time()
        passed = (None, None) if self._last_time is None else (now - self._last_time, step - self._last_step)
        self._last_time, self._last_step = now, step
        return passed

    def last_triggered_step(self):
        return self._last_step


@export("train.StopAtStepHook")
class StopAtStepHook(SessionRunHook):
    """Stops at a global step, or after so many more."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("Exactly one of num_steps or last_step must be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._step = _step_tensor()

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        step = int(run_values.results) + 1  # the run may have read it before its own update
        if step >= self._last_step and int(run_context.session.run(self._step)) >= self._last_step:
            run_context.request_stop()


@export("train.CheckpointSaverListener")
class CheckpointSaverListener:
    def begin(self):
        pass

    def before_save(self, session, global_step_value):
        pass

    def after_save(self, session, global_step_value):
        pass

    def end(self, session, global_step_value):
        pass


@export("train.CheckpointSaverHook")
class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints, the first one when the session starts and the last one at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt",
                 scaffold=None, listeners=None):
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold, self._listeners = saver, scaffold, list(listeners or [])
        self._directory, self._path = checkpoint_dir, os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        self._writer, self._step = FileWriterCache.get(self._directory), _step_tensor()
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = int(session.run(self._step))
        write_graph(session.graph, self._directory, "graph.pbtxt")
        self._writer.add_graph(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        stale = int(run_values.results)
        if self._timer.should_trigger_for_step(stale + 1):
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                if self._save(run_context.session, step):
                    run_context.request_stop()

    def end(self, session):
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """Saves; whether a listener asks to stop."""
        for listener in self._listeners:
            listener.before_save(session, step)
        saver = self._saver or (self._scaffold.saver if self._scaffold else None)
        if saver is None:
            raise RuntimeError("CheckpointSaverHook needs a saver or a scaffold")
        path = saver.save(session, self._path, global_step=step)
        log = message("SessionLog")
        self._writer.add_session_log(log(status=log.CHECKPOINT, checkpoint_path=path or self._path), step)
        stops = [listener.after_save(session, step) for listener in self._listeners]
        return any(stops)


@export("train.StepCounterHook")
class StepCounterHook(SessionRunHook):
    """Writes how many global steps are made per second."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        self._timer = SecondOrStepTimer(every_n_secs, None if every_n_secs is not None else every_n_steps)
        self._writer, self._directory = summary_writer, output_dir

    def begin(self):
        if self._writer is None and self._directory:
            self._writer = FileWriterCache.get(self._directory)
        self._step = _step_tensor()
        self._tag = self._step.op.name + "/sec"

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds and self._writer is not None:
                summary = message("Summary")()
                summary.value.add(tag=self._tag, simple_value=steps / seconds)
                self._writer.add_summary(summary, step)


@export("train.SummarySaverHook")
class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None,
                 summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._op, self._scaffold, self._writer, self._directory = summary_op, scaffold, summary_writer, output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        if self._writer is None and self._directory:
            self._writer = FileWriterCache.get(self._directory)
        self._next, self._step = None, _step_tensor()

    def _summaries(self):
        op = self._op if self._op is not None else self._scaffold.summary_op
        return None if op is None else list(op) if isinstance(op, (list, tuple)) else [op]

    def before_run(self, run_context):
        self._due = self._next is None or self._timer.should_trigger_for_step(self._next)
        fetches = {"step": self._step}
        if self._due and self._summaries() is not None:
            fetches["summaries"] = self._summaries()
        return SessionRunArgs(fetches)

    def after_run(self, run_context, run_values):
        if self._writer is None:
            return
        step = int(run_values.results["step"])
        if self._next is None or self._due:
            step = int(run_context.session.run(self._step))
        if self._next is None:
            log = message("SessionLog")
            self._writer.add_session_log(log(status=log.START), step)
        if self._due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summaries", ()):
                self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session):
        if self._writer is not None:
            self._writer.flush()


@export("train.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Prints tensors every so many steps or seconds, or at the end."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        if (every_n_iter is None and every_n_secs is None and not at_end) or \
                (every_n_iter is not None and every_n_secs is not None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if not isinstance(tensors, dict):
            self._order = list(tensors)
            tensors = {item: item for item in self._order}
        else:
            self._order = list(tensors)
        self._tensors, self._formatter, self._at_end = tensors, formatter, at_end
        self._timer = None if every_n_iter is None and every_n_secs is None else SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self):
        if self._timer is not None:
            self._timer.reset()
        self._count = 0
        graph = get_default_graph()
        self._found = {tag: graph.as_graph_element(item) for tag, item in self._tensors.items()}

    def before_run(self, run_context):
        self._due = self._timer is not None and self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._found) if self._due else None

    def _log(self, values):
        from sluice._logging import info
        seconds = None
        if self._timer is not None:
            seconds, _ = self._timer.update_last_triggered_step(self._count)
        if self._formatter:
            info(self._formatter(values))
        else:
            info("%s%s", ", ".join("%s = %s" % (getattr(tag, "name", tag), values[tag]) for tag in self._order),
                 "" if seconds is None else " (%.3f sec)" % seconds)

    def after_run(self, run_context, run_values):
        if self._due:
            self._log(run_values.results)
        self._count += 1

    def end(self, session):
        if self._at_end:
            self._log(session.run(self._found))


@export("train.NanLossDuringTrainingError")
class NanLossDuringTrainingError(RuntimeError):
    def __str__(self):
        return "NaN loss during training."


@export("train.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Stops when the loss is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        if np.isnan(run_values.results):
            if self._fails:
                raise NanLossDuringTrainingError
            run_context.request_stop()


@export("train.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Runs tensors at the end."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._ops, self._feed, self._values = final_ops, final_ops_feed_dict, None

    final_ops_values = property(lambda self: self._values)

    def end(self, session):
        if self._ops is not None:
            self._values = session.run(self._ops, feed_dict=self._feed)


@export("train.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds each run with what a function returns."""

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


@export("train.GlobalStepWaiterHook")
class GlobalStepWaiterHook(SessionRunHook):
    """Waits until the global step has reached a value."""

    def __init__(self, wait_until_step):
        self._wait_until = wait_until_step

    def begin(self):
        self._waiting, self._step = True, _step_tensor()

    def before_run(self, run_context):
        while self._waiting and int(run_context.session.run(self._step)) < self._wait_until:
            time.sleep(0.5)
        self._waiting = False


@export("train.ProfilerHook", "estimator.ProfilerHook")
class ProfilerHook(SessionRunHook):
    """Writes a timeline of a step, timeline-STEP.json, every |save_steps| steps or |save_secs| seconds."""

    def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False):
        import os
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._pattern = os.path.join(output_dir, "timeline-{}.json")
        self._show_dataflow, self._show_memory = show_dataflow, show_memory

    def begin(self):
        self._next, self._step = None, _step_tensor()

    def before_run(self, run_context):
        self._traced = self._next is not None and self._timer.should_trigger_for_step(self._next)
        options = message("RunOptions")(trace_level=3) if self._traced else None
        return SessionRunArgs({"global_step": self._step}, options=options)

    def after_run(self, run_context, run_values):
        step = int(run_values.results["global_step"])
        if self._next is None:
            self._timer.update_last_triggered_step(step)
        if self._traced:
            from sluice._timeline import Timeline
            step = int(run_context.session.run(self._step))
            self._timer.update_last_triggered_step(step)
            with open(self._pattern.format(step), "w") as out:
                out.write(Timeline(run_values.run_metadata.step_stats).generate_chrome_trace_format(
                    self._show_dataflow, self._show_memory))
        self._next = step + 1
