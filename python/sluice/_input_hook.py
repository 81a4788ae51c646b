"""Positions of an estimator's input in checkpoints: tf.data.experimental.CheckpointInputPipelineHook."""
from sluice._api import export
from sluice._graph import get_default_graph
from sluice._hooks import CheckpointSaverHook, SessionRunHook
from sluice._iterator import GLOBAL_ITERATORS, IteratorSaveable
from sluice._saver import Saver, latest_checkpoint


class _NamedSaver(Saver):
    """A saver whose checkpoints are listed in a file of their own."""

    def __init__(self, var_list, latest_filename):
        super().__init__(var_list, sharded=True)
        self._latest_filename = latest_filename

    def save(self, sess, save_path, global_step=None, latest_filename=None, **options):
        return super().save(sess, save_path, global_step, latest_filename or self._latest_filename, **options)


@export("data.experimental.CheckpointInputPipelineHook")
class CheckpointInputPipelineHook(SessionRunHook):
    """Saves where the iterators of an estimator's input are, and goes on from there."""

    def __init__(self, estimator, external_state_policy=None):
        config, name = estimator.config, "input"
        if config.num_worker_replicas > 1:
            name += "_%s_%s" % (config.task_type, config.task_id)
        self._policy, self._latest_filename, self._directory = external_state_policy, "checkpoint_" + name, estimator.model_dir
        self._hook = CheckpointSaverHook(estimator.model_dir, save_secs=config.save_checkpoints_secs,
                                         save_steps=config.save_checkpoints_steps, checkpoint_basename=name + ".ckpt")

    def begin(self):
        iterators = get_default_graph().get_collection(GLOBAL_ITERATORS)
        self._hook._saver = _NamedSaver([IteratorSaveable(i, self._policy) for i in iterators], self._latest_filename)
        self._hook.begin()

    def after_create_session(self, session, coord):
        self._is_first = True

    def before_run(self, run_context):
        # Not when the session is made: the iterators are initialised by hooks, after that.
        if self._is_first:
            self._is_first, session = False, run_context.session
            newest = latest_checkpoint(self._directory, self._latest_filename)
            if newest:
                self._hook._saver.restore(session, newest)
            else:
                step = int(session.run(self._hook._step))
                self._hook._save(session, step)
                self._hook._timer.update_last_triggered_step(step)
        return self._hook.before_run(run_context)

    def after_run(self, run_context, run_values):
        self._hook.after_run(run_context, run_values)

    def end(self, session):
        self._hook.end(session)
