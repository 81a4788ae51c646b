"""tf.contrib.rnn: cells and networks beside those of tf.nn."""
import sluice as tf
from sluice import _rnn
from sluice._api import export
from sluice._rnn_cell import BasicLSTMCell, GRUCell, LSTMStateTuple, RNNCell
from sluice._variable_scope import get_variable, variable_scope


def _export(*names):
    return export(*["contrib.rnn." + name for name in names])


@_export("LayerNormBasicLSTMCell")
class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM whose gates are normalised, with dropout of the new values."""

    def __init__(self, num_units, forget_bias=1.0, input_size=None, activation=tf.tanh, layer_norm=True, norm_gain=1.0,
                 norm_shift=0.0, dropout_keep_prob=1.0, dropout_prob_seed=None, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias, self._activation, self._layer_norm = num_units, forget_bias, activation, layer_norm
        self._gain, self._shift, self._keep, self._seed = norm_gain, norm_shift, dropout_keep_prob, dropout_prob_seed

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def _norm(self, value, scope):
        with variable_scope(scope):
            size = value.shape.as_list()[-1:]
            gamma = get_variable("gamma", size, initializer=tf.constant_initializer(self._gain), dtype=value.dtype)
            beta = get_variable("beta", size, initializer=tf.constant_initializer(self._shift), dtype=value.dtype)
            mean, variance = tf.nn.moments(value, [1], keep_dims=True)
            return tf.nn.batch_normalization(value, mean, variance, beta, gamma, 1e-12)

    def call(self, inputs, state):
        c, h = state
        joined = tf.concat([inputs, h], 1)
        weights = get_variable("kernel", [joined.shape.as_list()[-1], 4 * self._num_units], dtype=joined.dtype)
        made = tf.matmul(joined, weights)
        if not self._layer_norm:
            made = tf.nn.bias_add(made, get_variable("bias", [4 * self._num_units], dtype=joined.dtype))
        parts = tf.split(made, 4, axis=1)
        if self._layer_norm:
            parts = [self._norm(part, scope) for part, scope in zip(parts, ("input", "transform", "forget", "output"))]
        i, j, f, o = parts
        g = self._activation(j)
        if not isinstance(self._keep, float) or self._keep < 1:
            g = tf.nn.dropout(g, self._keep, seed=self._seed)
        new_c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * g
        if self._layer_norm:
            new_c = self._norm(new_c, "state")
        new_h = self._activation(new_c) * tf.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


@_export("LSTMBlockCell")
class LSTMBlockCell(BasicLSTMCell):
    """The LSTM whose variables are those of TensorFlow's fused cell; computed by the operations of BasicLSTMCell."""

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None, reuse=None,
                 name="lstm_cell"):
        if use_peephole or cell_clip not in (None, -1):
            raise NotImplementedError("use_peephole and cell_clip of LSTMBlockCell are not there: use LSTMCell")
        super().__init__(num_units, forget_bias=forget_bias, reuse=reuse, name=name, dtype=dtype)


@_export("GRUBlockCell", "GRUBlockCellV2")
class GRUBlockCell(GRUCell):
    """The GRU under the fused cell's name; computed by the operations of GRUCell."""

    def __init__(self, num_units=None, cell_size=None, reuse=None, name="gru_cell"):
        super().__init__(num_units or cell_size, reuse=reuse, name=name)


@_export("stack_bidirectional_dynamic_rnn")
def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None,
                                    sequence_length=None, parallel_iterations=None, time_major=False, scope=None,
                                    swap_memory=False):
    """(outputs, states forwards, states backwards): layers in both directions, each on the joined outputs of the last."""
    if not isinstance(cells_fw, list) or not isinstance(cells_bw, list) or len(cells_fw) != len(cells_bw) or not cells_fw:
        raise ValueError("cells_fw and cells_bw must be lists of the same length, at least 1")
    states_fw, states_bw, value = [], [], inputs
    with variable_scope(scope, "stack_bidirectional_rnn"):
        for i, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope("cell_%d" % i):
                outputs, (one, two) = _rnn.bidirectional_dynamic_rnn(
                    forward, backward, value, initial_state_fw=initial_states_fw[i] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[i] if initial_states_bw else None, sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations, dtype=dtype, swap_memory=swap_memory, time_major=time_major)
                value = tf.concat(outputs, 2)
            states_fw.append(one)
            states_bw.append(two)
    return value, tuple(states_fw), tuple(states_bw)


@_export("stack_bidirectional_rnn")
def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None,
                            sequence_length=None, scope=None):
    """The same for a list of steps."""
    states_fw, states_bw, value = [], [], inputs
    with variable_scope(scope, "stack_bidirectional_rnn"):
        for i, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope("cell_%d" % i) as entered:
                value, one, two = _rnn.static_bidirectional_rnn(
                    forward, backward, value, initial_states_fw[i] if initial_states_fw else None,
                    initial_states_bw[i] if initial_states_bw else None, sequence_length=sequence_length, dtype=dtype,
                    scope=entered)
            states_fw.append(one)
            states_bw.append(two)
    return value, tuple(states_fw), tuple(states_bw)
