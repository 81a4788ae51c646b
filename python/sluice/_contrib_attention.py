"""tf.contrib.seq2seq: attention over the outputs of an encoder."""
import collections
import math

import sluice as tf
from sluice import _nest
from sluice._api import export
from sluice._graph import name_scope
from sluice._rnn_cell import RNNCell
from sluice._variable_scope import get_variable, variable_scope


def _export(name):
    return export("contrib.seq2seq." + name)


@_export("AttentionMechanism")
class AttentionMechanism:
    """memory_layer(memory) is compared with query_layer(query)."""


def _masked_memory(memory, lengths):
    if lengths is None:
        return memory, None
    mask = tf.sequence_mask(lengths, maxlen=tf.shape(memory)[1], dtype=memory.dtype)
    return memory * tf.reshape(mask, tf.concat([tf.shape(mask), [1] * (memory.shape.ndims - 2)], 0)), mask


class _Base(AttentionMechanism):
    def __init__(self, query_layer, memory, probability_fn, memory_sequence_length=None, memory_layer=None,
                 score_mask_value=None, name=None):
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = (memory_layer or query_layer).dtype if (memory_layer or query_layer) is not None else tf.float32
        memory = tf.convert_to_tensor(memory, name="memory")
        self.dtype = memory.dtype
        self._probability_fn = probability_fn or tf.nn.softmax
        self._mask_value = memory.dtype.as_numpy_dtype(-float("inf")) if score_mask_value is None else score_mask_value
        self._lengths = memory_sequence_length
        self._values, _ = _masked_memory(memory, memory_sequence_length)
        self._keys = memory_layer(self._values) if memory_layer is not None else self._values
        self._batch = memory.shape.as_list()[0] or tf.shape(self._keys)[0]
        self._time = memory.shape.as_list()[1] or tf.shape(self._keys)[1]

    values, keys = property(lambda self: self._values), property(lambda self: self._keys)
    batch_size = property(lambda self: self._batch)
    alignments_size = state_size = property(lambda self: self._time)
    query_layer, memory_layer = property(lambda self: self._query_layer), property(lambda self: self._memory_layer)

    def initial_alignments(self, batch_size, dtype):
        made = tf.zeros(tf.stack([batch_size, self._time]), dtype)
        made.set_shape([None, self._time if isinstance(self._time, int) else None])
        return made

    initial_state = initial_alignments

    def _probabilities(self, score, state):
        if self._lengths is not None:
            mask = tf.sequence_mask(self._lengths, maxlen=tf.shape(score)[1])
            score = tf.where(mask, score, self._mask_value * tf.ones_like(score))
        return self._probability_fn(score)


@_export("LuongAttention")
class LuongAttention(_Base):
    """Products of the query and the keys."""

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False, probability_fn=None, score_mask_value=None,
                 dtype=None, custom_key_value_fn=None, name="LuongAttention"):
        super().__init__(None, memory, probability_fn, memory_sequence_length,
                         tf.layers.Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or tf.float32),
                         score_mask_value, name)
        self._scale, self._units = scale, num_units

    def __call__(self, query, state):
        with variable_scope(None, "luong_attention", [query]):
            if query.shape.as_list()[-1] != self._units:
                raise ValueError("Incompatible or unknown inner dimensions between query and keys. Query (%s) has units: %s. Keys "
                                 "(%s) have units: %s. Perhaps you need to set num_units to the keys' dimension (%s)?" %
                                 (query, query.shape[-1], self._keys, self._units, self._units))
            score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), self._keys, transpose_b=True), [1])
            if self._scale:
                score = get_variable("attention_g", dtype=query.dtype, initializer=tf.ones_initializer(), shape=()) * score
            alignments = self._probabilities(score, state)
        return alignments, alignments


@_export("BahdanauAttention")
class BahdanauAttention(_Base):
    """v * tanh(keys + query)"""

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False, probability_fn=None,
                 score_mask_value=None, dtype=None, custom_key_value_fn=None, name="BahdanauAttention"):
        dtype = dtype or tf.float32
        super().__init__(tf.layers.Dense(num_units, name="query_layer", use_bias=False, dtype=dtype), memory, probability_fn,
                         memory_sequence_length, tf.layers.Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
                         score_mask_value, name)
        self._normalize, self._units = normalize, num_units

    def __call__(self, query, state):
        with variable_scope(None, "bahdanau_attention", [query]):
            processed = tf.expand_dims(self._query_layer(query), 1)
            v = get_variable("attention_v", [self._units], dtype=query.dtype)
            if self._normalize:
                g = get_variable("attention_g", dtype=query.dtype,
                                 initializer=tf.constant_initializer(math.sqrt(1.0 / self._units)), shape=())
                b = get_variable("attention_b", [self._units], dtype=query.dtype, initializer=tf.zeros_initializer())
                v = g * v * tf.math.rsqrt(tf.reduce_sum(tf.square(v)))
                score = tf.reduce_sum(v * tf.tanh(self._keys + processed + b), [2])
            else:
                score = tf.reduce_sum(v * tf.tanh(self._keys + processed), [2])
            alignments = self._probabilities(score, state)
        return alignments, alignments


@_export("AttentionWrapperState")
class AttentionWrapperState(collections.namedtuple("AttentionWrapperState", (
        "cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"))):
    """The state of an AttentionWrapper."""

    def clone(self, **kwargs):
        """The same with other parts, which keep their shapes."""
        def with_shape(old, new):
            if isinstance(old, tf.Tensor) and isinstance(new, tf.Tensor) and not isinstance(new, tf.TensorArray):
                if new.shape.is_compatible_with(old.shape):
                    new.set_shape(old.shape)
                return new
            return new
        return _nest.map_structure(with_shape, self, self._replace(**kwargs))


@_export("AttentionWrapper")
class AttentionWrapper(RNNCell):
    """A cell whose input and output are joined with what its attention looks at."""

    def __init__(self, cell, attention_mechanism, attention_layer_size=None, alignment_history=False, cell_input_fn=None,
                 output_attention=True, initial_cell_state=None, name=None, attention_layer=None, attention_fn=None):
        super().__init__(name=name)
        self._many = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = tuple(attention_mechanism) if self._many else (attention_mechanism,)
        self._input_fn = cell_input_fn or (lambda inputs, attention: tf.concat([inputs, attention], -1))
        layers = None
        if attention_layer_size is not None:
            sizes = attention_layer_size if isinstance(attention_layer_size, (list, tuple)) else (attention_layer_size,)
            if len(sizes) != len(self._mechanisms):
                raise ValueError("If provided, attention_layer_size must contain exactly one integer per attention_mechanism, saw: "
                                 "%d vs %d" % (len(sizes), len(self._mechanisms)))
            layers = tuple(tf.layers.Dense(size, name="attention_layer", use_bias=False, dtype=m.dtype)
                           for size, m in zip(sizes, self._mechanisms))
            self._attention_size = sum(sizes)
        elif attention_layer is not None:
            layers = tuple(attention_layer) if isinstance(attention_layer, (list, tuple)) else (attention_layer,)
            self._attention_size = sum(layer.compute_output_shape(tf.TensorShape(
                [None, cell.output_size + m.values.shape.as_list()[-1]])).as_list()[-1]
                for layer, m in zip(layers, self._mechanisms))
        else:
            self._attention_size = sum(m.values.shape.as_list()[-1] for m in self._mechanisms)
        self._attention_layers, self._cell, self._output_attention = layers, cell, output_attention
        self._history, self._initial_cell_state = alignment_history, initial_cell_state

    def _item(self, values):
        values = tuple(values)
        return values if self._many else values[0]

    output_size = property(lambda self: self._attention_size if self._output_attention else self._cell.output_size)

    @property
    def state_size(self):
        return AttentionWrapperState(
            cell_state=self._cell.state_size, attention=self._attention_size, time=tf.TensorShape([]),
            alignments=self._item(m.alignments_size for m in self._mechanisms),
            alignment_history=self._item(m.alignments_size if self._history else () for m in self._mechanisms),
            attention_state=self._item(m.state_size for m in self._mechanisms))

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + "ZeroState"):
            state = self._initial_cell_state if self._initial_cell_state is not None else \
                self._cell.zero_state(batch_size, dtype)
            state = _nest.map_structure(lambda t: tf.identity(t, name="checked_cell_state"), state)
            first = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
            attention = tf.zeros(tf.stack([batch_size, self._attention_size]), dtype)
            attention.set_shape([None, self._attention_size])
            return AttentionWrapperState(
                cell_state=state, time=tf.zeros([], dtype=tf.int32), attention=attention, alignments=self._item(first),
                attention_state=self._item(m.initial_state(batch_size, dtype) for m in self._mechanisms),
                alignment_history=self._item(
                    tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=a.shape) if self._history else ()
                    for a in first))

    def call(self, inputs, state):
        if not isinstance(state, AttentionWrapperState):
            raise TypeError("Expected state to be instance of AttentionWrapperState. Received type %s instead." % type(state))
        output, cell_state = self._cell(self._input_fn(inputs, state.attention), state.cell_state)
        states = state.attention_state if self._many else (state.attention_state,)
        histories = state.alignment_history if self._many else (state.alignment_history,)
        attentions, alignments, new_states, new_histories = [], [], [], []
        for i, mechanism in enumerate(self._mechanisms):
            aligned, new_state = mechanism(output, state=states[i])
            context = tf.squeeze(tf.matmul(tf.expand_dims(aligned, 1), mechanism.values), [1])
            if self._attention_layers is not None:
                context = self._attention_layers[i](tf.concat([output, context], 1))
            attentions.append(context)
            alignments.append(aligned)
            new_states.append(new_state)
            new_histories.append(histories[i].write(state.time, aligned) if self._history else ())
        attention = tf.concat(attentions, 1)
        new = AttentionWrapperState(
            cell_state=cell_state, attention=attention, time=state.time + 1, alignments=self._item(alignments),
            attention_state=self._item(new_states), alignment_history=self._item(new_histories))
        return (attention if self._output_attention else output), new


@_export("hardmax")
def hardmax(logits, name=None):
    """1 at the largest value, else 0."""
    with name_scope(name, "Hardmax", [logits]):
        return tf.one_hot(tf.argmax(logits, -1), logits.shape.as_list()[-1] or tf.shape(logits)[-1], dtype=logits.dtype)
