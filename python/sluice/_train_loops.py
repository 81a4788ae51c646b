"""Loops over steps and checkpoints, batches of elements that may be left out: parts of tf.train."""
import os
import time

import sluice as tf
from sluice._api import export
from sluice._graph import name_scope
from sluice._message import message
from sluice._saver import latest_checkpoint


@export("train.basic_train_loop")
def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=""):
    """train_step_fn(session, ...) in a session of |supervisor|, until it should stop."""
    with supervisor.managed_session(master) as session:
        while not supervisor.should_stop():
            train_step_fn(session, *(args or []), **(kwargs or {}))


@export("train.checkpoints_iterator")
def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """The paths of checkpoints as they appear; ends after |timeout| seconds without a new one, if timeout_fn() agrees."""
    seen = None
    while True:
        begun, path = time.time(), latest_checkpoint(checkpoint_dir)
        while path is None or path == seen:
            if timeout is not None and time.time() - begun > timeout:
                break
            time.sleep(min(1.0, timeout / 10.0) if timeout else 1.0)
            path = latest_checkpoint(checkpoint_dir)
        if path is None or path == seen:
            if timeout_fn is None or timeout_fn():
                return
            continue
        seen = path
        yield path
        left = begun + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)


@export("train.generate_checkpoint_state_proto")
def generate_checkpoint_state_proto(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                                    all_model_checkpoint_timestamps=None, last_preserved_timestamp=None):
    """The CheckpointState of these paths, relative to |save_dir| where both are relative."""
    paths = list(all_model_checkpoint_paths or [])
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    if not os.path.isabs(save_dir):
        paths = [p if os.path.isabs(p) else os.path.relpath(p, save_dir) for p in paths]
    made = message("CheckpointState")(model_checkpoint_path=paths[-1])
    made.all_model_checkpoint_paths.extend(paths)
    return made


@export("train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes):
    """When the checkpoints were written, of those that are there."""
    paths = [next((p for p in (prefix + ".index", prefix) if os.path.exists(p)), None) for prefix in checkpoint_prefixes]
    return [os.path.getmtime(path) for path in paths if path]


def _kept(tensors, keep, enqueue_many):
    """|tensors| without those that |keep| leaves out, as rows to enqueue."""
    def rows(x):
        x = tf.convert_to_tensor(x)
        if enqueue_many:
            return tf.boolean_mask(x, keep)
        return tf.cond(keep, lambda: tf.expand_dims(x, 0), lambda: tf.zeros([0] + x.shape.as_list(), x.dtype))
    if isinstance(tensors, dict):
        return {key: rows(x) for key, x in tensors.items()}
    return [rows(x) for x in tensors]


@export("train.maybe_batch")
def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None,
                dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """As train.batch(), of the elements where |keep_input| is true."""
    with name_scope(name, "batch"):
        return tf.train.batch(_kept(tensors, keep_input, enqueue_many), batch_size, num_threads, capacity, True, shapes,
                              dynamic_pad, allow_smaller_final_batch, shared_name)


@export("train.maybe_batch_join")
def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                     allow_smaller_final_batch=False, shared_name=None, name=None):
    with name_scope(name, "batch_join"):
        return tf.train.batch_join([_kept(t, keep_input, enqueue_many) for t in tensors_list], batch_size, capacity, True,
                                   shapes, dynamic_pad, allow_smaller_final_batch, shared_name)


@export("train.maybe_shuffle_batch")
def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None,
                        enqueue_many=False, shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    with name_scope(name, "shuffle_batch"):
        return tf.train.shuffle_batch(_kept(tensors, keep_input, enqueue_many), batch_size, capacity, min_after_dequeue,
                                      num_threads, seed, True, shapes, allow_smaller_final_batch, shared_name)


@export("train.maybe_shuffle_batch_join")
def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None, enqueue_many=False,
                             shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    with name_scope(name, "shuffle_batch_join"):
        return tf.train.shuffle_batch_join([_kept(t, keep_input, enqueue_many) for t in tensors_list], batch_size, capacity,
                                           min_after_dequeue, seed, True, shapes, allow_smaller_final_batch, shared_name)
