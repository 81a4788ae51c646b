"""tf.contrib.legacy_seq2seq and the loss of tf.contrib.seq2seq: decoders and losses over lists of steps."""
import sluice as tf
from sluice._api import export
from sluice._graph import name_scope
from sluice._variable_scope import get_variable_scope, variable_scope


def _legacy(name):
    return export("contrib.legacy_seq2seq." + name)


@_legacy("rnn_decoder")
def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """(outputs, state) of |cell| over a list; |loop_function|(output, i) makes the next input of an output."""
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, previous = initial_state, [], None
        for i, given in enumerate(decoder_inputs):
            if loop_function is not None and previous is not None:
                with variable_scope("loop_function", reuse=True):
                    given = loop_function(previous, i)
            if i > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
            if loop_function is not None:
                previous = output
    return outputs, state


@_legacy("basic_rnn_seq2seq")
def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype="float32", scope=None):
    """An encoder and a decoder with cells of one kind but variables of their own."""
    import copy
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


@_legacy("sequence_loss_by_example")
def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None, name=None):
    """The cross entropy of each sequence, weighted by step."""
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError("Lengths of logits, weights, and targets must be the same %d, %d, %d." %
                         (len(logits), len(weights), len(targets)))
    with name_scope(name, "sequence_loss_by_example", logits + targets + weights):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                target = tf.reshape(target, [-1])
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = tf.add_n(losses)
        if average_across_timesteps:
            count = tf.add_n(weights)
            count += 1e-12  # so that there is no division by 0
            total /= count
        return total


@_legacy("sequence_loss")
def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True,
                  softmax_loss_function=None, name=None):
    with name_scope(name, "sequence_loss", logits + targets + weights):
        cost = tf.reduce_sum(sequence_loss_by_example(logits, targets, weights, average_across_timesteps,
                                                      softmax_loss_function))
        if average_across_batch:
            return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype)
        return cost


@export("contrib.seq2seq.sequence_loss")
def batch_sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True,
                        sum_over_timesteps=False, sum_over_batch=False, softmax_loss_function=None, name=None):
    """The cross entropy of [batch, time, classes], averaged or summed over time and batch."""
    if (average_across_timesteps and sum_over_timesteps) or (average_across_batch and sum_over_batch):
        raise ValueError("an axis cannot be both averaged and summed over")
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = tf.shape(logits)[2]
        flat, targets = tf.reshape(logits, [-1, classes]), tf.reshape(targets, [-1])
        if softmax_loss_function is None:
            cost = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=flat)
        else:
            cost = softmax_loss_function(labels=targets, logits=flat)
        cost *= tf.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            cost = tf.reduce_sum(cost)
            total = tf.reduce_sum(weights)
            cost = tf.math.divide_no_nan(cost, total)
        elif sum_over_timesteps and sum_over_batch:
            cost = tf.reduce_sum(cost)
            count = tf.cast(tf.reduce_sum(tf.cast(weights > 0, tf.int32)), cost.dtype)
            cost = tf.math.divide_no_nan(cost, count)
        else:
            cost = tf.reshape(cost, tf.shape(logits)[0:2])
            for axis, average in ((0, average_across_batch), (1, average_across_timesteps)):
                if average:
                    cost = tf.reduce_sum(cost, axis=[axis])
                    cost = tf.math.divide_no_nan(cost, tf.reduce_sum(weights, axis=[axis]))
        return cost
