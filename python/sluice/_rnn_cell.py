"""Recurrent cells: tf.nn.rnn_cell, and their names in tf.contrib.rnn."""
import collections

import sluice as tf
from sluice import _nest
from sluice._api import export
from sluice._convert import constant
from sluice._graph import Tensor, name_scope
from sluice._initializers import Constant, Zeros
from sluice._layer import InputSpec, Layer, activation_of, initializer_of
from sluice._shape import TensorShape
from sluice._variable_scope import get_variable_scope, variable_scope


def cell_export(*names):
    """Public in tf.nn.rnn_cell and in tf.contrib.rnn."""
    return export(*[prefix + name for name in names for prefix in ("nn.rnn_cell.", "contrib.rnn.")])


def assert_like_rnncell(name, cell):
    missing = ["'%s' property is missing" % p for p in ("output_size", "state_size") if not hasattr(type(cell), p) and
               not hasattr(cell, p)]
    if not (hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")):
        missing.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        missing.append("is not callable")
    if missing:
        raise TypeError("The argument %r (%s) is not an RNNCell: %s." % (name, cell, ", ".join(missing)))


def _as_vector(value):
    if isinstance(value, Tensor):
        return tf.expand_dims(value, 0) if value.shape.ndims == 0 else value
    return constant(TensorShape(value).as_list(), dtype=tf.int32)


def concat_shapes(prefix, suffix):
    """The tensor of a shape: a batch's size and the size of a state."""
    first, last = _as_vector(prefix), _as_vector(suffix)
    return tf.concat((first, last), 0)


def static_shape(prefix, suffix):
    """What is known of concat_shapes(prefix, suffix). TensorFlow builds the parts here too."""
    for part in prefix, suffix:
        if isinstance(part, Tensor) or TensorShape(part).is_fully_defined():
            _as_vector(part)
    known = [tf.contrib.util.constant_value(v) if isinstance(v, Tensor) else v for v in (prefix, suffix)]
    sizes = [[None] if v is None else TensorShape(v if not hasattr(v, "tolist") else v.tolist()).as_list() for v in known]
    return sizes[0] + sizes[1]


def zeros_of(size, batch_size, dtype):
    def one(s):
        made = tf.zeros(concat_shapes(batch_size, s), dtype=dtype)
        made.set_shape(static_shape(batch_size, s))
        return made
    return _nest.map_structure(one, size)


@cell_export("RNNCell")
class RNNCell(Layer):
    """A cell: cell(inputs, state) -> (output, new state). A subclass has state_size, output_size and call(inputs, state)."""

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)

    def __call__(self, inputs, state, scope=None):
        if scope is not None:
            with variable_scope(scope, custom_getter=self._get_variable) as entered:
                return super().__call__(inputs, state, scope=entered)
        entered = getattr(self, "_cell_scope", None)
        if entered is None:
            entered = self._cell_scope = variable_scope(get_variable_scope(), custom_getter=self._get_variable)
        with entered:
            return super().__call__(inputs, state)

    def _get_variable(self, getter, *args, **kwargs):
        made = getter(*args, **kwargs)
        for v in list(made) if hasattr(made, "_get_partitions") else [made]:
            kept = self._trainable_weights if v.trainable else self._non_trainable_weights
            if all(v is not w for w in kept):
                kept.append(v)
        return made

    @property
    def state_size(self):
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        raise NotImplementedError("Abstract method")

    def build(self, _):
        """Cells that make their variables when they are called need nothing here."""

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs, name="inputs")
            batch_size = inputs.shape.as_list()[0] or tf.shape(inputs)[0]
            dtype = inputs.dtype.base_dtype
        if batch_size is None or dtype is None:
            raise ValueError("batch_size and dtype cannot be None while constructing initial state: batch_size=%s, dtype=%s" %
                             (batch_size, dtype))
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        with name_scope(type(self).__name__ + "ZeroState"):
            return zeros_of(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in build()."""

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    @staticmethod
    def _depth(input_shape):
        depth = input_shape.as_list()[-1] if input_shape.ndims else None
        if depth is None:
            raise ValueError("Expected inputs.shape[-1] to be known, received shape: %s" % input_shape)
        return depth


export("nn.rnn_cell.LayerRNNCell", "contrib.rnn.LayerRNNCell")(LayerRNNCell)


@cell_export("BasicRNNCell")
class BasicRNNCell(LayerRNNCell):
    """activation(W x input + U x state + b)"""

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec, self._num_units = InputSpec(ndim=2), num_units
        self._activation = activation_of(activation) or tf.tanh

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        depth = self._depth(inputs_shape)
        self._kernel = self.add_weight("kernel", [depth + self._num_units, self._num_units])
        self._bias = self.add_weight("bias", [self._num_units], initializer=Zeros(dtype=self._dtype or tf.float32))
        self.built = True

    def call(self, inputs, state):
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(gates)
        return output, output


@cell_export("GRUCell")
class GRUCell(LayerRNNCell):
    """The gated recurrent unit."""

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None,
                 dtype=None, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec, self._num_units = InputSpec(ndim=2), num_units
        self._activation = activation_of(activation) or tf.tanh
        self._kernel_initializer, self._bias_initializer = initializer_of(kernel_initializer), initializer_of(bias_initializer)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        depth, units, dtype = self._depth(inputs_shape), self._num_units, self._dtype or tf.float32
        self._gate_kernel = self.add_weight("gates/kernel", [depth + units, 2 * units], initializer=self._kernel_initializer)
        self._gate_bias = self.add_weight("gates/bias", [2 * units],
                                          initializer=self._bias_initializer or Constant(1.0, dtype=dtype))
        self._candidate_kernel = self.add_weight("candidate/kernel", [depth + units, units],
                                                 initializer=self._kernel_initializer)
        self._candidate_bias = self.add_weight("candidate/bias", [units],
                                               initializer=self._bias_initializer or Zeros(dtype=dtype))
        self.built = True

    def call(self, inputs, state):
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        r, u = tf.split(value=tf.sigmoid(gates), num_or_size_splits=2, axis=1)
        kept = r * state
        candidate = tf.nn.bias_add(tf.matmul(tf.concat([inputs, kept], 1), self._candidate_kernel), self._candidate_bias)
        c = self._activation(candidate)
        new = u * state + (1 - u) * c
        return new, new


_StateTuple = collections.namedtuple("LSTMStateTuple", ("c", "h"))


@cell_export("LSTMStateTuple")
class LSTMStateTuple(_StateTuple):
    """The state of an LSTM cell: what it keeps and what it put out."""
    __slots__ = ()

    @property
    def dtype(self):
        if self.c.dtype != self.h.dtype:
            raise TypeError("Inconsistent dtypes for internal state: %s vs %s" % (self.c.dtype, self.h.dtype))
        return self.c.dtype


@cell_export("BasicLSTMCell")
class BasicLSTMCell(LayerRNNCell):
    """An LSTM without peepholes, clipping or projection."""

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None,
                 **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec, self._num_units, self._forget_bias = InputSpec(ndim=2), num_units, forget_bias
        self._state_is_tuple, self._activation = state_is_tuple, activation_of(activation) or tf.tanh

    output_size = property(lambda self: self._num_units)

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    def build(self, inputs_shape):
        depth = self._depth(inputs_shape)
        self._kernel = self.add_weight("kernel", [depth + self._num_units, 4 * self._num_units])
        self._bias = self.add_weight("bias", [4 * self._num_units], initializer=Zeros(dtype=self._dtype or tf.float32))
        self.built = True

    def call(self, inputs, state):
        one = constant(1, dtype=tf.int32)
        c, h = state if self._state_is_tuple else tf.split(value=state, num_or_size_splits=2, axis=one)
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=one)
        forget = constant(self._forget_bias, dtype=f.dtype)
        kept = tf.multiply(c, tf.sigmoid(tf.add(f, forget)))
        new_c = tf.add(kept, tf.multiply(tf.sigmoid(i), self._activation(j)))
        new_h = tf.multiply(self._activation(new_c), tf.sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)


@cell_export("LSTMCell")
class LSTMCell(LayerRNNCell):
    """An LSTM with peepholes, clipping and a projection of the output, if asked for."""

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None,
                 num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None,
                 reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec, self._num_units, self._use_peepholes = InputSpec(ndim=2), num_units, use_peepholes
        self._cell_clip, self._num_proj, self._proj_clip = cell_clip, num_proj, proj_clip
        self._initializer, self._shards = initializer_of(initializer), (num_unit_shards, num_proj_shards)
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = activation_of(activation) or tf.tanh
        self._output_size = num_proj or num_units

    output_size = property(lambda self: self._output_size)

    @property
    def state_size(self):
        sizes = self._num_units, self._output_size
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    def build(self, inputs_shape):
        depth, units = self._depth(inputs_shape), self._num_units
        split = [tf.fixed_size_partitioner(n) if n is not None else None for n in self._shards]
        self._kernel = self.add_weight("kernel", [depth + self._output_size, 4 * units], initializer=self._initializer,
                                       partitioner=split[0])
        self._bias = self.add_weight("bias", [4 * units], initializer=Zeros(dtype=self._dtype or tf.float32))
        if self._use_peepholes:
            self._w_f, self._w_i, self._w_o = (self.add_weight("w_%s_diag" % gate, [units], initializer=self._initializer)
                                               for gate in "fio")
        if self._num_proj is not None:
            self._proj_kernel = self.add_weight("projection/kernel", [units, self._num_proj], initializer=self._initializer,
                                                partitioner=split[1])
        self.built = True

    def call(self, inputs, state):
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = tf.slice(state, [0, 0], [-1, self._num_units])
            m_prev = tf.slice(state, [0, self._num_units], [-1, self._output_size])
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, m_prev], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            c = tf.sigmoid(f + self._forget_bias + self._w_f * c_prev) * c_prev + \
                tf.sigmoid(i + self._w_i * c_prev) * self._activation(j)
        else:
            c = tf.sigmoid(f + self._forget_bias) * c_prev + tf.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = tf.clip_by_value(c, -self._cell_clip, self._cell_clip)
        m = (tf.sigmoid(o + self._w_o * c) if self._use_peepholes else tf.sigmoid(o)) * self._activation(c)
        if self._num_proj is not None:
            m = tf.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = tf.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else tf.concat([c, m], 1)


@cell_export("MultiRNNCell")
class MultiRNNCell(RNNCell):
    """Cells on top of each other: each one's output is the next one's input."""

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError("cells must be a list or tuple, but received: %s." % cells)
        self._cells, self._state_is_tuple = cells, state_is_tuple
        if not state_is_tuple and any(isinstance(c.state_size, tuple) for c in cells):
            raise ValueError("Some cells return tuples of states, but the flag state_is_tuple is not set. State sizes are: %s" %
                             ([c.state_size for c in cells],))

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    output_size = property(lambda self: self._cells[-1].output_size)
    trainable_weights = trainable_variables = property(
        lambda self: [w for c in self._cells for w in getattr(c, "trainable_weights", [])])
    non_trainable_weights = non_trainable_variables = property(
        lambda self: [w for c in self._cells for w in getattr(c, "non_trainable_weights", [])])
    weights = variables = property(lambda self: self.trainable_weights + self.non_trainable_weights)

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + "ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs, state):
        at, states = 0, []
        for i, cell in enumerate(self._cells):
            with variable_scope("cell_%d" % i):
                if self._state_is_tuple:
                    if not isinstance(state, (list, tuple)):
                        raise ValueError("Expected state to be a tuple of length %d, but received: %s" %
                                         (len(self.state_size), state))
                    current = state[i]
                else:
                    current = tf.slice(state, [0, at], [-1, cell.state_size])
                    at += cell.state_size
                inputs, new = cell(inputs, current)
                states.append(new)
        return inputs, tuple(states) if self._state_is_tuple else tf.concat(states, 1)
