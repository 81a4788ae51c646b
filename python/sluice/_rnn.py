"""Recurrent networks: cells over sequences, unrolled or in a loop."""
import sluice as tf
from sluice import _nest
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import Tensor, colocate_with, control_dependencies, get_default_graph, name_scope
from sluice._oplib import apply
from sluice._rnn_cell import assert_like_rnncell, concat_shapes, static_shape
from sluice._shape import TensorShape
from sluice._static import constant_value
from sluice._variable_scope import variable_scope


def _set_caching(scope):
    """Variables are read on the device of the cell, once for all steps."""
    context = get_default_graph()._get_control_flow_context()
    inside = context is not None and context.GetWhileContext() is not None
    if not inside and scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def _transpose_batch_time(x):
    known = x.shape
    if known.ndims is not None and known.ndims < 2:
        return x
    rank = tf.rank(x)
    order = tf.concat(([1, 0], tf.range(2, rank)), axis=0)
    moved = tf.transpose(x, order)
    if known.ndims is not None:
        sizes = known.as_list()
        moved.set_shape([sizes[1], sizes[0]] + sizes[2:])
    return moved


def _batch_size(flat_input):
    for one in flat_input:
        if one.shape.ndims is None:
            continue
        if one.shape.ndims < 2:
            raise ValueError("Input tensor should have rank >= 2. Received input=%s of rank %s" % (one, one.shape.ndims))
        if one.shape.as_list()[1] is not None:
            return one.shape.as_list()[1]
    return tf.shape(flat_input[0])[1]


def _state_dtype(dtype, state):
    if dtype is not None:
        return dtype
    types = {s.dtype.base_dtype for s in _nest.flatten(state)}
    if len(types) != 1:
        raise ValueError("Unable to infer a single representative dtype. Dtypes received: %s" % types)
    return types.pop()


def _size_list(size):
    return TensorShape(constant_value(size).tolist() if isinstance(size, Tensor) else size)


def _initial_state(cell, state, batch_size, dtype):
    if state is not None:
        return state
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def _copied_where(done):
    """A function of (old, new): the old values of sequences that are |done|."""
    def copy(old, new):
        if isinstance(old, tf.TensorArray) or old.shape.ndims == 0:
            return new
        with colocate_with(new):
            return tf.where(done, old, new)
    return copy


def _step(time, length, shortest, longest, zero_output, state, call_cell, in_loop):
    """One step, in which sequences that have ended put out zeros and keep their state."""
    flat_state, flat_zero = _nest.flatten(state), _nest.flatten(zero_output)
    copy = _copied_where(time >= length)

    def call():
        output, new = call_cell()
        _nest.assert_same_structure(zero_output, output)
        _nest.assert_same_structure(state, new)
        return _nest.flatten(output), _nest.flatten(new)

    def mixed(output, new):
        return [copy(z, o) for z, o in zip(flat_zero, output)] + [copy(s, n) for s, n in zip(flat_state, new)]

    def perhaps_mixed():
        output, new = call()
        return tf.cond(time < shortest, lambda: output + new, lambda: mixed(output, new))
    if in_loop:
        result = mixed(*call())
    else:
        result = tf.cond(time >= longest, lambda: flat_zero + flat_state, perhaps_mixed)
    outputs, states = result[:len(flat_zero)], result[len(flat_zero):]
    for made, known in zip(outputs + states, flat_zero + flat_state):
        if not isinstance(made, tf.TensorArray):
            made.set_shape(known.shape)
    return _nest.pack_sequence_as(zero_output, outputs), _nest.pack_sequence_as(state, states)


# --- In a loop ---

@export("nn.dynamic_rnn")
def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None,
                swap_memory=False, time_major=False, scope=None):
    """(outputs, state) of |cell| over [batch, time, ...] (or [time, batch, ...] if |time_major|), in a loop."""
    assert_like_rnncell("cell", cell)
    with variable_scope(scope or "rnn") as entered:
        _set_caching(entered)
        flat = _nest.flatten(inputs)
        if not time_major:
            flat = [convert_to_tensor(i) for i in flat]
            flat = [_transpose_batch_time(i) for i in flat]
        if sequence_length is not None:
            sequence_length = tf.cast(sequence_length, tf.int32)
            if sequence_length.shape.ndims not in (None, 1):
                raise ValueError("sequence_length must be a vector of length batch_size, but saw shape: %s" %
                                 sequence_length.shape)
            sequence_length = tf.identity(sequence_length, name="sequence_length")
        batch_size = _batch_size(flat)
        state = _initial_state(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            with control_dependencies([_assert_length(sequence_length, [batch_size])]):
                sequence_length = tf.identity(sequence_length, name="CheckSeqLen")
        outputs, final = _loop(cell, _nest.pack_sequence_as(inputs, flat), state, parallel_iterations or 32, swap_memory,
                               sequence_length, dtype)
        if not time_major:
            outputs = _nest.map_structure(_transpose_batch_time, outputs)
        return outputs, final


def _assert_length(x, shape):
    found, wanted = tf.shape(x), tf.stack(shape)
    return tf.Assert(tf.reduce_all(tf.equal(found, wanted)),
                     ["Expected shape for Tensor %s is " % x.name, wanted, " but saw shape: ", found])


def _check_inputs(flat):
    known = [i.shape for i in flat]
    first = known[0].as_list()[:2]
    for shape in known:
        if shape.ndims is None or shape.ndims < 3:
            raise ValueError("Shape %s must have rank at least 3" % shape)
        if not shape[2:].is_fully_defined():
            raise ValueError("Input size (depth of inputs) must be accessible via shape inference, but saw value None.")
        if shape.as_list()[:2] != first:
            raise ValueError("Time steps and batch_size must be the same for all the elements in the input. Received %s" %
                             known)
    return known, first


def _loop(cell, inputs, state, parallel_iterations, swap_memory, length, dtype):
    flat, sizes = _nest.flatten(inputs), _nest.flatten(cell.output_size)
    steps = tf.shape(flat[0])[0]
    batch_size = _batch_size(flat)
    known, (known_steps, known_batch) = _check_inputs(flat)
    zero_output = _nest.pack_sequence_as(cell.output_size, [
        tf.zeros(tf.stack(concat_shapes(batch_size, size)), _state_dtype(dtype, state)) for size in sizes])
    shortest = None
    if length is not None:
        shortest, longest = tf.reduce_min(length), tf.reduce_max(length)
    else:
        longest = steps
    time = constant(0, dtype=tf.int32, name="time")
    with name_scope("dynamic_rnn") as base:
        pass

    def array(name, shape, kind):
        return tf.TensorArray(dtype=kind, size=steps, element_shape=shape, tensor_array_name=base + name)
    output_arrays = tuple(array("output_%d" % i, TensorShape([known_batch]).concatenate(_size_list(size)),
                                _state_dtype(dtype, state)) for i, size in enumerate(sizes))
    input_arrays = tuple(array("input_%d" % i, one.shape[1:], one.dtype.base_dtype) for i, one in enumerate(flat))
    input_arrays = tuple(a.unstack(one) for a, one in zip(input_arrays, flat))

    def body(now, arrays, current):
        given = tuple(a.read(now) for a in input_arrays)
        for one, shape in zip(given, known):
            one.set_shape(shape[1:])
        given = _nest.pack_sequence_as(inputs, given)
        if length is not None:
            output, new = _step(now, length, shortest, longest, zero_output, current, lambda: cell(given, current), True)
        else:
            output, new = cell(given, current)
        written = tuple(a.write(now, one) for a, one in zip(arrays, _nest.flatten(output)))
        return now + 1, written, new
    bound = tf.minimum(steps, tf.maximum(1, longest))
    _, arrays, final = tf.while_loop(lambda now, *_: now < bound, body, (time, output_arrays, state),
                                     parallel_iterations=parallel_iterations, maximum_iterations=steps,
                                     swap_memory=swap_memory)
    outputs = tuple(a.stack() for a in arrays)
    for output, size in zip(outputs, sizes):
        output.set_shape(static_shape([known_steps, known_batch], size))
    return _nest.pack_sequence_as(cell.output_size, outputs), final


def _reversed(x, lengths, seq_axis, batch_axis):
    if lengths is not None:
        return tf.reverse_sequence(input=x, seq_lengths=lengths, seq_axis=seq_axis, batch_axis=batch_axis)
    return apply("ReverseV2", None, tensor=x, axis=[seq_axis])


@export("nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None, initial_state_bw=None,
                              dtype=None, parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    """((outputs forward, outputs backward), (state forward, state backward))"""
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    axes = (0, 1) if time_major else (1, 0)
    rest = dict(dtype=dtype, parallel_iterations=parallel_iterations, swap_memory=swap_memory, time_major=time_major)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = dynamic_rnn(cell_fw, inputs, sequence_length, initial_state_fw, scope=inner, **rest)
        with variable_scope("bw") as inner:
            turned = _nest.map_structure(lambda i: _reversed(i, sequence_length, *axes), inputs)
            backward, state_bw = dynamic_rnn(cell_bw, turned, sequence_length, initial_state_bw, scope=inner, **rest)
    backward = _reversed(backward, sequence_length, *axes)
    return (forward, backward), (state_fw, state_bw)


@export("nn.raw_rnn")
def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """A loop in which |loop_fn| makes each step's input: loop_fn(time, output, state, loop state) -> (finished, input,
    state, emitted, loop state)."""
    assert_like_rnncell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("Argument `loop_fn` must be a callable.")
    with variable_scope(scope or "rnn") as entered:
        _set_caching(entered)
        time = constant(0, dtype=tf.int32)
        finished, first, state, emit, first_loop_state = loop_fn(time, None, None, None)
        flat_input = _nest.flatten(first)
        loop_state = first_loop_state if first_loop_state is not None else constant(0, dtype=tf.int32)
        known_batch = flat_input[0].shape.as_list()[0]
        batch_size = tf.shape(flat_input[0])[0] if known_batch is None else known_batch
        _nest.assert_same_structure(state, cell.state_size)
        flat_state = [convert_to_tensor(s) for s in _nest.flatten(state)]
        state = _nest.pack_sequence_as(state, flat_state)
        if emit is not None:
            flat_emit = _nest.flatten(emit)
            sizes = [e.shape if e.shape.is_fully_defined() else tf.shape(e) for e in flat_emit]
            types = [e.dtype.base_dtype for e in flat_emit]
        else:
            emit = cell.output_size
            sizes = _nest.flatten(emit)
            types = [flat_state[0].dtype.base_dtype] * len(sizes)
        arrays = [tf.TensorArray(dtype=kind, dynamic_size=True, size=0, name="rnn_output_%d" % i,
                                 element_shape=TensorShape([known_batch]).concatenate(_size_list(size)))
                  for i, (kind, size) in enumerate(zip(types, sizes))]
        arrays = _nest.pack_sequence_as(emit, arrays)
        zeros = [tf.zeros(concat_shapes(batch_size, size), kind) for size, kind in zip(sizes, types)]
        zero_emit = _nest.pack_sequence_as(emit, zeros)

        def body(now, done, given, emitted, current, carried):
            output, cell_state = cell(given, current)
            _nest.assert_same_structure(current, cell_state)
            following = now + 1
            next_done, next_input, next_state, emit_output, next_carried = loop_fn(following, output, cell_state, carried)
            _nest.assert_same_structure(current, next_state)
            carried = carried if next_carried is None else next_carried
            copy = _copied_where(done)
            emit_output = _nest.map_structure(copy, zero_emit, emit_output)
            next_state = _nest.map_structure(copy, current, next_state)
            emitted = _nest.map_structure(lambda a, e: a.write(now, e), emitted, emit_output)
            return following, tf.logical_or(done, next_done), next_input, emitted, next_state, carried
        returned = tf.while_loop(lambda _, done, *rest: tf.logical_not(tf.reduce_all(done)), body,
                                 [time, finished, first, arrays, state, loop_state],
                                 parallel_iterations=parallel_iterations or 32, swap_memory=swap_memory)
        arrays, final, final_loop_state = returned[-3:]
        return arrays, final, None if first_loop_state is None else final_loop_state


# --- Unrolled ---

@export("nn.static_rnn", "contrib.rnn.static_rnn")
def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """(list of outputs, state) of |cell| over a list of inputs; each step has nodes of its own."""
    assert_like_rnncell("cell", cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Argument `inputs` must be a sequence. Received: %s" % inputs)
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    outputs = []
    with variable_scope(scope or "rnn") as entered:
        _set_caching(entered)
        first = _nest.flatten(inputs)[0]
        for one in _nest.flatten(inputs):
            if one.shape.ndims is not None and one.shape.ndims > 1 and None in one.shape.as_list()[1:]:
                raise ValueError("Input size (dimension 1 of input) must be accessible via shape inference, but saw value "
                                 "None.")
        known = first.shape.as_list()[0]
        batch_size = known or tf.shape(first)[0]
        state = _initial_state(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            zero_output = []
            for size in _nest.flatten(cell.output_size):
                zeros = tf.zeros(tf.stack(concat_shapes(batch_size, size)), _state_dtype(dtype, state))
                zeros.set_shape(static_shape(known, size))
                zero_output.append(zeros)
            zero_output = _nest.pack_sequence_as(cell.output_size, zero_output)
            sequence_length = tf.cast(sequence_length, tf.int32)
            shortest, longest = tf.reduce_min(sequence_length), tf.reduce_max(sequence_length)
        for time, one in enumerate(inputs):
            if time > 0:
                entered.reuse_variables()
            if sequence_length is not None:
                output, state = _step(time, sequence_length, shortest, longest, zero_output, state,
                                      lambda: cell(one, state), False)  # noqa: B023
            else:
                output, state = cell(one, state)
            outputs.append(output)
        return outputs, state


@export("nn.static_state_saving_rnn", "contrib.rnn.static_state_saving_rnn")
def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
    """As static_rnn, with a state that |state_saver| keeps between steps."""
    names = _nest.flatten(state_name)
    state = _nest.pack_sequence_as(cell.state_size, [state_saver.state(s) for s in names])
    outputs, state = static_rnn(cell, inputs, initial_state=state, sequence_length=sequence_length, scope=scope)
    flat = _nest.flatten(state)
    with control_dependencies([state_saver.save_state(name, s) for name, s in zip(names, flat)]):
        last = [tf.identity(o) for o in _nest.flatten(outputs[-1])]
        outputs[-1] = _nest.pack_sequence_as(outputs[-1], last)
        state = _nest.pack_sequence_as(state, [tf.identity(s) for s in flat])
    return outputs, state


def _reversed_list(sequence, lengths):
    if lengths is None:
        return list(reversed(sequence))
    flat = [_nest.flatten(one) for one in sequence]
    results = [[] for _ in sequence]
    for parts in zip(*flat):
        shape = TensorShape([None] * parts[0].shape.ndims) if parts[0].shape.ndims is not None else TensorShape(None)
        turned = tf.unstack(tf.reverse_sequence(tf.stack(list(parts)), lengths, 0, 1))
        for one, result in zip(turned, results):
            one.set_shape(shape)
            result.append(one)
    return [_nest.pack_sequence_as(one, result) for one, result in zip(sequence, results)]


@export("nn.static_bidirectional_rnn", "contrib.rnn.static_bidirectional_rnn")
def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None,
                             sequence_length=None, scope=None):
    """(outputs of both, side by side; state forward; state backward)"""
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=inner)
        with variable_scope("bw") as inner:
            turned = _reversed_list(inputs, sequence_length)
            backward, state_bw = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length, scope=inner)
    backward = _reversed_list(backward, sequence_length)
    pairs = zip(_nest.flatten(forward), _nest.flatten(backward))
    outputs = _nest.pack_sequence_as(forward, [tf.concat([f, b], 1) for f, b in pairs])
    return outputs, state_fw, state_bw
