"""Cells around cells: dropout, residual connections, devices."""
import hashlib

import sluice as tf
from sluice import _nest
from sluice._graph import device, name_scope
from sluice._rnn_cell import LSTMStateTuple, RNNCell, assert_like_rnncell, cell_export
from sluice._shape import TensorShape
from sluice._static import constant_value


class _Wrapper(RNNCell):
    def __init__(self, cell, **kwargs):
        super().__init__(**kwargs)
        assert_like_rnncell("cell", cell)
        self.cell = self._cell = cell

    state_size = property(lambda self: self.cell.state_size)
    output_size = property(lambda self: self.cell.output_size)
    wrapped_cell = property(lambda self: self.cell)
    trainable_weights = trainable_variables = property(lambda self: getattr(self.cell, "trainable_weights", []))
    non_trainable_weights = non_trainable_variables = property(lambda self: getattr(self.cell, "non_trainable_weights", []))
    weights = variables = property(lambda self: self.trainable_weights + self.non_trainable_weights)

    def _call_cell(self, inputs, state, scope):
        return self.cell(inputs, state, scope=scope) if scope is not None else self.cell(inputs, state)

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + "ZeroState"):
            return self.cell.zero_state(batch_size, dtype)


def _kept_state(state):
    """Which parts of a state are dropped from: not what an LSTM keeps."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, tf.TensorArray)


def _filtered(visit, structure):
    """visit() of a structure and, where it says True, of its parts."""
    chosen = visit(structure)
    if isinstance(structure, LSTMStateTuple) and isinstance(chosen, LSTMStateTuple):
        return chosen
    if isinstance(structure, (list, tuple)) and chosen is True:
        parts = [_filtered(visit, s) for s in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
    return chosen


@cell_export("DropoutWrapper")
class DropoutWrapper(_Wrapper):
    """Drops values of a cell's input, output and state."""

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False,
                 input_size=None, dtype=None, seed=None, dropout_state_filter_visitor=None, **kwargs):
        super().__init__(cell, dtype=dtype, **kwargs)
        self._filter = dropout_state_filter_visitor or _kept_state
        self._seed, self._variational = seed, variational_recurrent
        with name_scope("DropoutWrapperInit"):
            self._input_keep = self._probability(input_keep_prob, "input_keep_prob")
            self._state_keep = self._probability(state_keep_prob, "state_keep_prob")
            self._output_keep = self._probability(output_keep_prob, "output_keep_prob")
        self._noise = {"input": None, "state": None, "output": None}
        if not variational_recurrent:
            return
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": cell.state_size, "output": cell.output_size}
        if not isinstance(self._input_keep, float) or self._input_keep < 1.0:
            if input_size is None:
                raise ValueError("When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must "
                                 "be provided")
            sizes = dict(input=input_size, **sizes)
        for part, size in sizes.items():
            self._noise[part] = _nest.pack_sequence_as(
                size, [self._batch_noise(s, self._seed_of(part, i), dtype) for i, s in enumerate(_nest.flatten(size))])

    @staticmethod
    def _probability(value, name):
        tensor = tf.convert_to_tensor(value)
        known = constant_value(tensor)
        if known is None:
            return tensor
        if not 0 <= known <= 1:
            raise ValueError("Parameter %s must be between 0 and 1. Received %s" % (name, known))
        return float(known)

    def _seed_of(self, part, index):
        if self._seed is None:
            return None
        text = (str(self._seed) + "%s_%d" % (part, index)).encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    @staticmethod
    def _batch_noise(size, seed, dtype):
        shape = tf.concat(([1], TensorShape(size).as_list()), 0)
        return tf.random_uniform(shape, seed=seed, dtype=dtype)

    def _dropped(self, values, part, keep, chosen=None):
        flat = _nest.flatten(values)
        wanted = _nest.flatten(chosen) if chosen is not None else [True] * len(flat)
        if len(wanted) == 1:
            wanted = wanted * len(flat)
        noise = _nest.flatten(self._noise[part]) if self._variational else None
        made = []
        for i, (value, wish) in enumerate(zip(flat, wanted)):
            if wish is False:
                made.append(value)
            elif self._variational:
                kept = apply_floor(keep + noise[i])
                one = tf.divide(value, keep) * kept
                one.set_shape(value.shape)
                made.append(one)
            else:
                made.append(tf.nn.dropout(value, rate=1.0 - keep, seed=self._seed_of(part, i)))
        return _nest.pack_sequence_as(values, made)

    def __call__(self, inputs, state, scope=None):
        if not isinstance(self._input_keep, float) or self._input_keep < 1:
            inputs = self._dropped(inputs, "input", self._input_keep)
        output, new = self._call_cell(inputs, state, scope)
        if not isinstance(self._state_keep, float) or self._state_keep < 1:
            new = self._dropped(new, "state", self._state_keep, _filtered(self._filter, new))
        if not isinstance(self._output_keep, float) or self._output_keep < 1:
            output = self._dropped(output, "output", self._output_keep)
        return output, new


def apply_floor(value):
    from sluice._oplib import apply
    return apply("Floor", None, x=value)


@cell_export("ResidualWrapper")
class ResidualWrapper(_Wrapper):
    """Adds the input to the output."""

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def __call__(self, inputs, state, scope=None):
        outputs, new = self._call_cell(inputs, state, scope)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), new
        _nest.assert_same_structure(inputs, outputs)
        return _nest.map_structure(lambda i, o: i + o, inputs, outputs), new


@cell_export("DeviceWrapper")
class DeviceWrapper(_Wrapper):
    """Runs a cell on a device."""

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + "ZeroState"), device(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        with device(self._device):
            return self._call_cell(inputs, state, scope)
