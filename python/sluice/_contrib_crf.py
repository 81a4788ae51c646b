"""tf.contrib.crf: linear chains of tags."""
import numpy as np
import sluice as tf
from sluice._api import export
from sluice._variable_scope import get_variable, variable_scope


def _mask(lengths, most, dtype):
    return tf.sequence_mask(lengths, maxlen=most, dtype=dtype)


@export("contrib.crf.crf_unary_score")
def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """The sum of the scores of the tags themselves."""
    chosen = tf.one_hot(tag_indices, tf.shape(inputs)[2], dtype=inputs.dtype)
    return tf.reduce_sum(tf.reduce_sum(inputs * chosen, 2) * _mask(sequence_lengths, tf.shape(inputs)[1], inputs.dtype), 1)


@export("contrib.crf.crf_binary_score")
def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """The sum of the scores of the steps between tags."""
    tags = tf.cast(tag_indices, tf.int32)
    pairs = tags[:, :-1] * tf.shape(transition_params)[0] + tags[:, 1:]
    scores = tf.gather(tf.reshape(transition_params, [-1]), pairs)
    mask = _mask(sequence_lengths, tf.shape(tags)[1], transition_params.dtype.base_dtype)
    return tf.reduce_sum(scores * mask[:, 1:], 1)


@export("contrib.crf.crf_sequence_score")
def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """The score, not normalised, of sequences of tags."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(tag_indices, sequence_lengths,
                                                                                      transition_params)


def _scan(inputs, lengths, step):
    """The last state of step(state, row) over time; rows beyond a sequence's length do not change it."""
    rows = tf.transpose(inputs, [1, 0, 2])
    times = tf.range(1, tf.shape(rows)[0])

    def one(state, pair):
        time, row = pair
        return tf.where(tf.less(time, tf.cast(lengths, tf.int32)), step(state, row), state)
    states = tf.scan(one, (times, rows[1:]), initializer=rows[0])
    # A scan over nothing has no last state: the first row is the state then.
    return tf.concat([rows[:1], states], 0)[-1]


@export("contrib.crf.crf_log_norm")
def crf_log_norm(inputs, sequence_lengths, transition_params):
    """The logarithm of the sum over all sequences of tags."""
    params = tf.expand_dims(transition_params, 0)
    lengths = tf.maximum(tf.cast(sequence_lengths, tf.int32), 0)
    alphas = _scan(inputs, lengths, lambda state, row: row + tf.reduce_logsumexp(tf.expand_dims(state, 2) + params, [1]))
    total = tf.reduce_logsumexp(alphas, [1])
    return tf.where(tf.less_equal(lengths, 0), tf.zeros_like(total), total)


@export("contrib.crf.crf_log_likelihood")
def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """(log likelihood of each sequence, transition parameters)."""
    tags = inputs.shape.as_list()[2]
    if transition_params is None:
        transition_params = get_variable("transitions", [tags, tags])
    return (crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params) -
            crf_log_norm(inputs, sequence_lengths, transition_params), transition_params)


@export("contrib.crf.crf_decode")
def crf_decode(potentials, transition_params, sequence_length):
    """(best tags [batch, time], their scores)."""
    with variable_scope("crf_decode"):
        lengths, rows = tf.cast(sequence_length, tf.int32), tf.transpose(potentials, [1, 0, 2])
        count, params = tf.shape(rows)[0], tf.expand_dims(transition_params, 0)
        batch, tags = tf.shape(potentials)[0], tf.shape(potentials)[2]
        stay = tf.tile(tf.expand_dims(tf.range(tags), 0), [batch, 1])

        def one(state, pair):
            score, _ = state
            time, row = pair
            both = tf.expand_dims(score, 2) + params
            go = tf.less(time, lengths)
            return (tf.where(go, row + tf.reduce_max(both, [1]), score),
                    tf.where(go, tf.cast(tf.argmax(both, 1), tf.int32), stay))
        scores, back = tf.scan(one, (tf.range(1, count), rows[1:]), initializer=(rows[0], stay))
        last = tf.concat([rows[:1], scores], 0)[-1]
        best = tf.cast(tf.argmax(last, 1), tf.int32)

        def previous(tag, pointers):
            return tf.gather_nd(pointers, tf.stack([tf.range(batch), tag], 1))
        path = tf.scan(previous, back, initializer=best, reverse=True)
        path = tf.transpose(tf.concat([path, tf.expand_dims(best, 0)], 0))
        path *= tf.sequence_mask(lengths, maxlen=count, dtype=tf.int32)
        return path, tf.reduce_max(last, [1])


@export("contrib.crf.viterbi_decode")
def viterbi_decode(score, transition_params):
    """(best tags, their score) of one sequence, in numpy."""
    trellis, back = np.zeros_like(score), np.zeros(score.shape, dtype=np.int32)
    trellis[0] = score[0]
    for t in range(1, score.shape[0]):
        both = np.expand_dims(trellis[t - 1], 1) + transition_params
        trellis[t] = score[t] + np.max(both, 0)
        back[t] = np.argmax(both, 0)
    path = [int(np.argmax(trellis[-1]))]
    for pointers in reversed(back[1:]):
        path.append(int(pointers[path[-1]]))
    return path[::-1], np.max(trellis[-1])
