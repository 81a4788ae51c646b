"""tf.keras.layers: recurrent layers, and layers around layers."""
import sluice as tf
from sluice import _keras_backend as backend
from sluice import _nest
from sluice._api import export
from sluice._keras_layer import Layer
from sluice._keras_losses import activation_of
from sluice._layer import initializer_of


def _export(*names):
    return export(*["keras.layers." + name for name in names])


class _Cell(Layer):
    """A cell of |units| with gates in one matrix."""
    _gates = 1

    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.units, self.activation, self.use_bias = units, activation_of(activation), use_bias
        self.kernel_initializer, self.recurrent_initializer = kernel_initializer, recurrent_initializer
        self.bias_initializer, self.kernel_regularizer = bias_initializer, kernel_regularizer
        self.recurrent_regularizer, self.bias_regularizer = recurrent_regularizer, bias_regularizer
        self._constraints = kernel_constraint, recurrent_constraint, bias_constraint
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout
        self._masks = None

    state_size = property(lambda self: self.units)
    output_size = property(lambda self: self.units)

    def build(self, input_shape):
        depth, width = input_shape.as_list()[-1], self._gates * self.units
        self.kernel = self.add_weight("kernel", (depth, width), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self._constraints[0])
        self.recurrent_kernel = self.add_weight("recurrent_kernel", (self.units, width),
                                                initializer=self.recurrent_initializer,
                                                regularizer=self.recurrent_regularizer, constraint=self._constraints[1])
        self.bias = self.add_weight("bias", (width,), initializer=self._bias(), regularizer=self.bias_regularizer,
                                    constraint=self._constraints[2]) if self.use_bias else None
        self.built = True

    def _bias(self):
        return self.bias_initializer

    def make_masks(self, batch, depth, training):
        """What dropout leaves of inputs and states, the same at all steps."""
        def mask(size, rate):
            if not rate:
                return None
            ones = tf.ones(tf.stack([batch, size]))
            return backend.in_train_phase(lambda: tf.nn.dropout(ones, rate=rate), lambda: ones, training)
        self._masks = mask(depth, self.dropout), mask(self.units, self.recurrent_dropout)

    def _dropped(self, inputs, state):
        one, two = self._masks or (None, None)
        return inputs if one is None else inputs * one, state if two is None else state * two


@_export("SimpleRNNCell")
class SimpleRNNCell(_Cell):
    def call(self, inputs, states, training=None):
        inputs, state = self._dropped(inputs, states[0])
        made = tf.matmul(inputs, self.kernel)
        made = tf.nn.bias_add(made, self.bias) if self.use_bias else made
        made = self.activation(made + tf.matmul(state, self.recurrent_kernel))
        return made, [made]


@_export("LSTMCell")
class LSTMCell(_Cell):
    """Gates: input, forget, new value, output."""
    _gates = 4

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, *args,
                 unit_forget_bias=True, implementation=1, **kwargs):
        super().__init__(units, activation, use_bias, *args, **kwargs)
        self.recurrent_activation, self.unit_forget_bias = activation_of(recurrent_activation), unit_forget_bias

    state_size = property(lambda self: [self.units, self.units])

    def _bias(self):
        if not self.unit_forget_bias:
            return self.bias_initializer
        first = initializer_of(self.bias_initializer)

        def made(shape, dtype=None, partition_info=None):
            return tf.concat([first([self.units], dtype=dtype), tf.ones([self.units], dtype),
                              first([2 * self.units], dtype=dtype)], 0)
        return made

    def call(self, inputs, states, training=None):
        inputs, state = self._dropped(inputs, states[0])
        z = tf.matmul(inputs, self.kernel) + tf.matmul(state, self.recurrent_kernel)
        z = tf.nn.bias_add(z, self.bias) if self.use_bias else z
        i, f, c, o = tf.split(z, 4, axis=1)
        i, f, o = self.recurrent_activation(i), self.recurrent_activation(f), self.recurrent_activation(o)
        carry = f * states[1] + i * self.activation(c)
        made = o * self.activation(carry)
        return made, [made, carry]


@_export("GRUCell")
class GRUCell(_Cell):
    """Gates: update, reset, new value."""
    _gates = 3

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, *args,
                 implementation=1, reset_after=False, **kwargs):
        super().__init__(units, activation, use_bias, *args, **kwargs)
        self.recurrent_activation = activation_of(recurrent_activation)
        if reset_after:
            raise NotImplementedError("reset_after=True of GRU is not there")

    def call(self, inputs, states, training=None):
        inputs, state = self._dropped(inputs, states[0])
        x = tf.matmul(inputs, self.kernel)
        x = tf.nn.bias_add(x, self.bias) if self.use_bias else x
        xz, xr, xh = tf.split(x, 3, axis=1)
        inner = tf.matmul(state, self.recurrent_kernel[:, :2 * self.units])
        hz, hr = tf.split(inner, 2, axis=1)
        z, r = self.recurrent_activation(xz + hz), self.recurrent_activation(xr + hr)
        new = self.activation(xh + tf.matmul(r * state, self.recurrent_kernel[:, 2 * self.units:]))
        made = z * states[0] + (1.0 - z) * new
        return made, [made]


def _sizes(cell):
    size = cell.state_size
    return list(size) if isinstance(size, (list, tuple)) else [size]


@_export("StackedRNNCells")
class StackedRNNCells(Layer):
    """Cells on top of each other."""

    def __init__(self, cells, **kwargs):
        super().__init__(**kwargs)
        self.cells = list(cells)

    state_size = property(lambda self: sum((_sizes(cell) for cell in self.cells), []))
    output_size = property(lambda self: _sizes(self.cells[-1])[0])

    def build(self, input_shape):
        for i, cell in enumerate(self.cells):
            with tf.name_scope("cell_%d" % i):
                if not cell.built:
                    cell.build(input_shape)
                    cell.built = True
            input_shape = tf.TensorShape([input_shape.as_list()[0], _sizes(cell)[0]])
        self.built = True

    def call(self, inputs, states, training=None):
        new = []
        for cell in self.cells:
            count = len(_sizes(cell))
            inputs, state = cell.call(inputs, states[:count])
            states = states[count:]
            new += list(state)
        return inputs, new


@_export("RNN")
class RNN(Layer):
    """Runs a cell over the second axis."""

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False,
                 time_major=False, **kwargs):
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        length = kwargs.pop("input_length", None)
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (length, kwargs.pop("input_dim"))
        super().__init__(**kwargs)
        self.cell, self.return_sequences, self.return_state = cell, return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll, self.time_major = go_backwards, stateful, unroll, time_major
        self.states = None
        self._takes_training = True

    units = property(lambda self: self.cell.units)
    supports_masking = True

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, list) else mask
        return mask if self.return_sequences else None

    def build(self, input_shape):
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        if not self.cell.built:
            sizes = shape.as_list()
            self.cell._dtype = self.cell._dtype or self._dtype
            self.cell.build(tf.TensorShape([sizes[0], *sizes[2:]]))
            self.cell.built = True
        if self.stateful:
            batch = shape.as_list()[0]
            if batch is None:
                raise ValueError("If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input "
                                 "tensors.")
            self.states = [self.add_weight("state_%d" % i, (batch, size), initializer="zeros", trainable=False)
                           for i, size in enumerate(_sizes(self.cell))]

    def reset_states(self, states=None):
        import numpy as np
        backend.batch_set_value([(v, np.zeros(v.shape.as_list()) if states is None else states[i])
                                 for i, v in enumerate(self.states)])

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        if isinstance(inputs, (list, tuple)):
            initial_state, inputs = list(inputs[1:]) or initial_state, inputs[0]
        if initial_state is not None:
            initial_state = list(initial_state) if isinstance(initial_state, (list, tuple)) else [initial_state]
            return super().__call__([inputs, *initial_state], **kwargs)
        return super().__call__(inputs, **kwargs)

    def call(self, inputs, mask=None, training=None, initial_state=None):
        state = None
        if isinstance(inputs, (list, tuple)):
            inputs, state = inputs[0], list(inputs[1:])
            mask = mask[0] if isinstance(mask, list) else mask
        if self.time_major:
            inputs = tf.transpose(inputs, [1, 0, *range(2, inputs.shape.ndims)])
        batch = tf.shape(inputs)[0]
        if state is None:
            state = self.states if self.stateful else [tf.zeros(tf.stack([batch, size]), inputs.dtype)
                                                       for size in _sizes(self.cell)]
        state = [tf.convert_to_tensor(s) for s in state]
        if hasattr(self.cell, "make_masks"):
            self.cell.make_masks(batch, inputs.shape.as_list()[-1], training)
        outputs, last = self._loop(inputs, state, mask)
        if self.stateful:
            self.add_update([tf.assign(v, new) for v, new in zip(self.states, last)])
        sizes = inputs.shape.as_list()
        if self.return_sequences:
            made = tf.transpose(outputs, [1, 0, *range(2, outputs.shape.ndims)])
            made.set_shape([sizes[0], sizes[1], None])
            made = outputs if self.time_major else made
        else:
            made = outputs[-1] if mask is None else last[0]
            made.set_shape([sizes[0], _sizes(self.cell)[0]])
        return [made, *last] if self.return_state else made

    def _loop(self, inputs, state, mask):
        """(outputs [time, ...], last state)"""
        rows = tf.transpose(inputs, [1, 0, *range(2, inputs.shape.ndims)])
        if self.go_backwards:
            rows = tf.reverse(rows, [0])
        masks = None
        if mask is not None:
            masks = tf.transpose(tf.cast(mask, tf.bool))
            masks = tf.reverse(masks, [0]) if self.go_backwards else masks
        count = tf.shape(rows)[0]
        source = tf.TensorArray(rows.dtype, count).unstack(rows)
        marks = tf.TensorArray(tf.bool, count).unstack(masks) if masks is not None else None
        width = _sizes(self.cell)[0]
        batch = inputs.shape.as_list()[0]
        shapes = [s.shape for s in state]

        def step(time, target, previous, *states):
            output, new = self.cell.call(source.read(time), list(states))
            if marks is not None:
                go = marks.read(time)
                output = tf.where(go, output, previous)
                new = [tf.where(go, n, s) for n, s in zip(new, states)]
            for tensor, shape in zip(new, shapes):
                tensor.set_shape(shape)
            output.set_shape([batch, width])
            return (time + 1, target.write(time, output), output, *new)
        start = tf.zeros(tf.stack([tf.shape(inputs)[0], width]), inputs.dtype)
        start.set_shape([batch, width])
        loop = tf.while_loop(lambda time, *unused: time < count, step,
                             (tf.constant(0), tf.TensorArray(rows.dtype, count), start, *state))
        return loop[1].stack(), list(loop[3:])


def _recurrent(name, cell_type):
    class Made(RNN):
        def __init__(self, units, *args, **kwargs):
            own = {key: kwargs.pop(key) for key in list(kwargs) if key in _OWN}
            activity = kwargs.pop("activity_regularizer", None)
            super().__init__(cell_type(units, *args, **kwargs), activity_regularizer=activity, **own)

        def __getattr__(self, name):
            if not name.startswith("_") and "cell" in self.__dict__:
                return getattr(self.cell, name)
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
    Made.__name__ = Made.__qualname__ = name
    Made.__doc__ = "A layer of %s." % cell_type.__name__
    return _export(name)(Made)


_OWN = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "time_major", "name", "input_shape",
        "batch_input_shape", "input_dim", "input_length", "batch_size", "trainable", "dtype", "weights")
SimpleRNN, LSTM, GRU = _recurrent("SimpleRNN", SimpleRNNCell), _recurrent("LSTM", LSTMCell), _recurrent("GRU", GRUCell)


@_export("Wrapper")
class Wrapper(Layer):
    """A layer around a layer."""

    def __init__(self, layer, **kwargs):
        if layer._batch_input_shape is not None and "input_shape" not in kwargs:
            kwargs.setdefault("batch_input_shape", layer._batch_input_shape)
        super().__init__(**kwargs)
        self.layer = layer


@_export("TimeDistributed")
class TimeDistributed(Wrapper):
    """A layer for each step of time."""
    supports_masking = True

    def __init__(self, layer, **kwargs):
        shape = kwargs.get("input_shape")
        super().__init__(layer, **kwargs)
        if shape is None and layer._batch_input_shape is not None and "batch_input_shape" not in self._arguments[1]:
            self._batch_input_shape = None

    def build(self, input_shape):
        if not self.layer.built:
            sizes = input_shape.as_list()
            self.layer._dtype = self.layer._dtype or self._dtype
            self.layer.build(tf.TensorShape([sizes[0], *sizes[2:]]))
            self.layer.built = True

    def call(self, inputs, training=None):
        sizes, shape = inputs.shape.as_list(), tf.shape(inputs)
        flat = tf.reshape(inputs, tf.concat([[-1], shape[2:]], 0))
        flat.set_shape([None, *sizes[2:]])
        made = self.layer(flat, **({"training": training} if self.layer._takes_training else {}))
        result = tf.reshape(made, tf.concat([shape[:2], tf.shape(made)[1:]], 0))
        result.set_shape([sizes[0], sizes[1], *made.shape.as_list()[1:]])
        return result


@_export("Bidirectional")
class Bidirectional(Wrapper):
    """A recurrent layer forwards and backwards."""

    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **kwargs):
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError('Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", None}')
        super().__init__(layer, **kwargs)
        del self._layers[:]
        self.merge_mode = merge_mode
        self.forward_layer = layer._copy(name="forward_" + layer.name)
        self.backward_layer = backward_layer or layer._copy(name="backward_" + layer.name, go_backwards=not layer.go_backwards)
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state

    supports_masking = True

    def compute_mask(self, inputs, mask=None):
        return mask if self.return_sequences else None

    def call(self, inputs, mask=None, training=None):
        one = self.forward_layer(inputs, mask=mask, training=training)
        two = self.backward_layer(inputs, mask=mask, training=training)
        states = []
        if self.return_state:
            states, one, two = [*one[1:], *two[1:]], one[0], two[0]
        if self.return_sequences:
            two = tf.reverse(two, [1])
        if self.merge_mode is None:
            made = [one, two]
        else:
            made = {"concat": lambda: tf.concat([one, two], -1), "sum": lambda: one + two, "mul": lambda: one * two,
                    "ave": lambda: (one + two) / 2.0}[self.merge_mode]()
        return [*_nest.flatten(made), *states] if states else made
