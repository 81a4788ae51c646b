"""tf.train.SessionManager and tf.train.Scaffold: sessions whose variables are initialised, restored or waited for."""
import time

import numpy as np

from sluice import _dtypes, _errors
from sluice._api import export
from sluice._array_select import boolean_mask
from sluice._convert import constant
from sluice._graph import GraphKeys, device, get_collection, get_default_graph, name_scope
from sluice._oplib import apply
from sluice._saver import Saver, get_checkpoint_state
from sluice._session import Session
from sluice._state import is_variable_initialized
from sluice._variables import global_variables, global_variables_initializer, group, local_variables
from sluice._variables import local_variables_initializer, no_op


@export("report_uninitialized_variables")
def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of the variables that have no value, as a tensor."""
    if var_list is None:
        var_list = global_variables() + local_variables()
    with name_scope(name):
        with device("/cpu:0"):
            if not var_list:
                return constant(np.array([], dtype=object), dtype=_dtypes.string)
            known = apply("Pack", "stack", values=[is_variable_initialized(v) for v in var_list], axis=0)
            missing = apply("LogicalNot", None, x=known)
            return boolean_mask(constant([v.op.name for v in var_list]), missing)


@export("tables_initializer", "initializers.tables_initializer")
def tables_initializer(name="init_all_tables"):
    found = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*found, name=name) if found else no_op(name=name)


def _names(session, op):
    return [n.decode() if isinstance(n, bytes) else str(n) for n in np.ravel(session.run(op))]


@export("train.SessionManager")
class SessionManager:
    def __init__(self, local_init_op=None, ready_op=None, ready_for_local_init_op=None, graph=None, recovery_wait_secs=30,
                 local_init_run_options=None, local_init_feed_dict=None):
        self._graph = graph or get_default_graph()
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op, self._wait = ready_for_local_init_op, recovery_wait_secs
        self._local_feed = local_init_feed_dict

    def _restore(self, master, saver, checkpoint_dir, checkpoint_filename_with_path, wait, max_wait_secs, config):
        session = Session(master, graph=self._graph, config=config)
        if saver is None or not (checkpoint_dir or checkpoint_filename_with_path):
            return session, False
        if checkpoint_filename_with_path:
            saver.restore(session, checkpoint_filename_with_path)
            return session, True
        waited = 0
        state = get_checkpoint_state(checkpoint_dir)
        while not state or not state.model_checkpoint_path:
            if not wait or waited >= max_wait_secs:
                return session, False
            time.sleep(self._wait)
            waited += self._wait
            state = get_checkpoint_state(checkpoint_dir)
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                        wait_for_checkpoint=False, max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        """A session of the chief: restored from the newest checkpoint, else initialised."""
        session, restored = self._restore(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                          wait_for_checkpoint, max_wait_secs, config)
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                session.run(init_op, init_feed_dict)
            if init_fn:
                init_fn(session)
        reason = self._initialize_local(session) or self._not_ready(session)
        if reason:
            raise RuntimeError("Init operations did not make model ready. Init op: %s, init fn: %s, local_init_op: %s, "
                               "error: %s" % (getattr(init_op, "name", init_op), init_fn,
                                              getattr(self._local_init_op, "name", None), reason))
        return session

    def recover_session(self, master, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                        wait_for_checkpoint=False, max_wait_secs=7200, config=None):
        session, restored = self._restore(master, saver, checkpoint_dir, checkpoint_filename_with_path,
                                          wait_for_checkpoint, max_wait_secs, config)
        reason = self._initialize_local(session) or self._not_ready(session)
        return session, restored and not reason

    def wait_for_session(self, master, config=None, max_wait_secs=float("inf")):
        """A session of a worker: waits until the chief has made the model ready."""
        deadline = time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)
        while True:
            session = Session(master, graph=self._graph, config=config)
            try:
                reason = self._initialize_local(session) or self._not_ready(session)
            except (_errors.AbortedError, _errors.UnavailableError, _errors.FailedPreconditionError) as error:
                reason = str(error)
            if not reason:
                return session
            try:
                session.close()
            except _errors.OpError:
                pass  # it is given up in any case
            if time.monotonic() + self._wait > deadline:
                raise _errors.DeadlineExceededError(
                    None, None, "Session was not ready after waiting %s secs: %s" % (max_wait_secs, reason))
            time.sleep(self._wait)

    def _not_ready(self, session):
        """Why the model is not ready; None if it is."""
        return self._missing(session, self._ready_op, "Variables not initialized: ")

    def _missing(self, session, op, text):
        if op is None:
            return None
        try:
            names = _names(session, op)
        except _errors.FailedPreconditionError as error:
            if "uninitialized" not in str(error):
                raise
            return str(error)
        return text + ", ".join(names) if names else None

    def _initialize_local(self, session):
        if self._local_init_op is None:
            return None
        reason = self._missing(session, self._ready_for_local_init_op, "Variables not initialized: ")
        if reason is None:
            session.run(self._local_init_op, self._local_feed)
        return reason


def from_collection(key, default):
    """The element of a collection of at most one; without it default(), which is added."""
    found = get_collection(key)
    if len(found) > 1:
        raise RuntimeError("More than one item in the collection \"%s\". Please indicate which one to use by passing it to "
                           "the tf.Scaffold constructor." % key)
    if found:
        return found[0]
    made = default()
    if made is not None:
        get_default_graph().add_to_collection(key, made)
    return made


@export("train.Scaffold")
class Scaffold:
    """What a monitored session needs from the graph; what is not given is made by finalize()."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None, local_init_feed_dict=None):
        self._init_fn = None if init_fn is None else (lambda session: init_fn(self, session))
        self._init_op, self._init_feed_dict, self._ready_op = init_op, init_feed_dict, ready_op
        self._ready_for_local_init_op, self._local_init_op = ready_for_local_init_op, local_init_op
        self._summary_op, self._saver, self._local_init_feed_dict = summary_op, saver, local_init_feed_dict
        for field in vars(copy_from_scaffold) if copy_from_scaffold is not None else ():
            if getattr(self, field) is None:
                setattr(self, field, getattr(copy_from_scaffold, field))

    init_fn = property(lambda self: self._init_fn)
    init_op = property(lambda self: self._init_op)
    init_feed_dict = property(lambda self: self._init_feed_dict)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    local_init_op = property(lambda self: self._local_init_op)
    local_init_feed_dict = property(lambda self: self._local_init_feed_dict)
    summary_op = property(lambda self: self._summary_op)
    saver = property(lambda self: self._saver)

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        return from_collection(collection_key, default_constructor)

    @staticmethod
    def default_local_init_op():
        return group(local_variables_initializer(), tables_initializer())

    def finalize(self):
        from sluice._summary import merge_all
        if self._init_op is None:
            self._init_op = from_collection(GraphKeys.INIT_OP, global_variables_initializer)
        if self._ready_op is None:
            self._ready_op = from_collection(GraphKeys.READY_OP, report_uninitialized_variables)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = from_collection(
                GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: report_uninitialized_variables(global_variables()))
        if self._local_init_op is None:
            self._local_init_op = from_collection(GraphKeys.LOCAL_INIT_OP, self.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = from_collection(GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = from_collection(GraphKeys.SAVERS, lambda: Saver(sharded=True, allow_empty=True))
        self._saver.build()
        get_default_graph().finalize()
        return self
