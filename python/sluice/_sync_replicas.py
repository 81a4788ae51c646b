"""tf.train.SyncReplicasOptimizer: gradients of several workers make one step. Nodes and names are TensorFlow's."""
from sluice import _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._gradients import IndexedSlices
from sluice._graph import GraphKeys, control_dependencies, device, get_default_graph, name_scope
from sluice._hooks import SessionRunHook
from sluice._math import cast
from sluice._oplib import apply
from sluice._optimizers import WrappingOptimizer
from sluice._queues import FIFOQueue, QueueRunner
from sluice._session_manager import report_uninitialized_variables
from sluice._variables import Variable, global_variables, group, no_op


class _Accumulator:
    """Gradients of one variable, on its task, shared by all workers."""

    def __init__(self, gradient, variable):
        self._sparse = isinstance(gradient, IndexedSlices)
        shape = variable.shape
        if self._sparse:
            self._ref = apply("SparseConditionalAccumulator", "conditional_accumulator", dtype=gradient.dtype.base_dtype,
                              shape=(), shared_name=variable.name + "/grad_accum", reduction_type="MEAN")
        else:
            self._ref = apply("ResourceConditionalAccumulator", "conditional_accumulator", dtype=gradient.dtype.base_dtype,
                              shape=shape, shared_name=variable.name + "/grad_accum", reduction_type="MEAN")

    def add(self, gradient, local_step):
        step = cast(local_step, _dtypes.int64)
        if self._sparse:
            return apply("SparseAccumulatorApplyGradient", None, handle=self._ref, local_step=step,
                         gradient_indices=cast(gradient.indices, _dtypes.int64), gradient_values=gradient.values,
                         gradient_shape=convert_to_tensor([], dtype=_dtypes.int64), has_known_shape=False)
        return apply("ResourceAccumulatorApplyGradient", None, handle=self._ref, local_step=step, gradient=gradient)

    def take(self, count, dtype):
        if self._sparse:
            made = apply("SparseAccumulatorTakeGradient", None, handle=self._ref, num_required=count, dtype=dtype)
            return IndexedSlices(made.values, made.indices, made.shape)
        return apply("ResourceAccumulatorTakeGradient", None, handle=self._ref, num_required=count, dtype=dtype)

    def set_step(self, step):
        kind = "AccumulatorSetGlobalStep" if self._sparse else "ResourceAccumulatorSetGlobalStep"
        return apply(kind, "SetGlobalStep", handle=self._ref, new_global_step=cast(step, _dtypes.int64))


@export("train.SyncReplicasOptimizer")
class SyncReplicasOptimizer(WrappingOptimizer):
    """Collects |replicas_to_aggregate| gradients of a step, applies their mean, and gives out tokens for the next one."""

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None,
                 variables_to_average=None, use_locking=False, name="sync_replicas", replica_id=None):
        if variable_averages is not None or variables_to_average is not None:
            raise NotImplementedError("variable_averages is not there yet")
        super().__init__(use_locking, name)
        self._opt, self._replicas = opt, replicas_to_aggregate
        self._total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._tokens = max(self._total, replicas_to_aggregate)
        self._applied, self._chief_queue_runner, self._global_step = False, None, None

    def compute_gradients(self, *args, **kwargs):
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        grads_and_vars = list(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        anchor = no_op()  # where the worker is
        with get_default_graph().colocate_with(anchor):
            self._local_step = Variable(0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
                                        dtype=global_step.dtype.base_dtype, name="sync_rep_local_step")
        self.local_step_init_op = apply("Assign", None, ref=self._local_step._ref(), value=global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        sent, taken, self._accumulators = [], [], []
        with name_scope(None, self._name):
            for gradient, variable in grads_and_vars:
                with device(variable.device):
                    if gradient is None:
                        taken.append(None)
                        continue
                    accumulator = _Accumulator(gradient, variable)
                    sent.append(accumulator.add(gradient, self._local_step))
                    taken.append(accumulator.take(self._replicas, gradient.dtype.base_dtype))
                    self._accumulators.append((accumulator, variable.device))
        aggregated = list(zip(taken, [v for _, v in grads_and_vars]))
        with device(global_step.device), name_scope(""):
            update = self._opt.apply_gradients(aggregated, global_step)
        with device(global_step.device), name_scope(""):
            queue = self._queue = FIFOQueue(-1, global_step.dtype.base_dtype, shapes=(), shared_name="sync_token_q",
                                            name="sync_token_q")
            with control_dependencies(sent):
                token = queue.dequeue()
        train = apply("Assign", None, ref=self._local_step._ref(), value=token).op
        with device(global_step.device), name_scope(""):
            with control_dependencies([update]):
                tokens = apply("Fill", None, dims=[self._tokens], value=global_step)
                sync = queue.enqueue_many((tokens,))
            self._chief_queue_runner = QueueRunner(queue, [sync])
        with name_scope(self._name + "/"):
            starts = []
            for accumulator, where in self._accumulators:
                with device(where):
                    starts.append(accumulator.set_step(global_step))
            self.chief_init_op = group(*(starts + [self.local_step_init_op]))
        self._applied = True
        return train

    def get_chief_queue_runner(self):
        """The queue runner that applies gradients; the chief starts it."""
        if not self._applied:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens=-1):
        """Fills the queue of tokens for the first step; the chief runs it."""
        if not self._applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas - self._total
        if num_tokens == -1:
            num_tokens = self._replicas
        elif num_tokens < needed:
            raise ValueError("Too few tokens to finish the first step: %d (given) vs %d (needed)" % (num_tokens, needed))
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope(""):
            tokens = apply("Fill", None, dims=[num_tokens], value=self._global_step)
            return self._queue.enqueue_many((tokens,))

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        return _SyncReplicasHook(self, is_chief, num_tokens)


class _SyncReplicasHook(SessionRunHook):
    """Initialises the local step, and on the chief the accumulators, the queue runner and the tokens."""

    def __init__(self, optimizer, is_chief, num_tokens):
        self._optimizer, self._is_chief, self._num_tokens = optimizer, is_chief, num_tokens

    def begin(self):
        optimizer = self._optimizer
        if not optimizer._applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._init = optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op
        self._tokens = optimizer.get_init_tokens_op(self._num_tokens) if self._is_chief else None
        self._ready, self._runner = optimizer.ready_for_local_init_op, optimizer.get_chief_queue_runner()

    def after_create_session(self, session, coord):
        if session.run(self._ready).size:
            raise RuntimeError("Init operations did not make model ready for local_init.")
        session.run(self._init)
        if self._is_chief:
            session.run(self._tokens)
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
