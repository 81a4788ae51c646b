"""tf.contrib.seq2seq: decoders, their helpers, and loops that run them."""
import collections

import sluice as tf
from sluice import _nest
from sluice._api import export
from sluice._graph import name_scope
from sluice._variable_scope import variable_scope


def _export(name):
    return export("contrib.seq2seq." + name)


@_export("BasicDecoderOutput")
class BasicDecoderOutput(collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    """What a BasicDecoder gives for a step."""


# --- Helpers: where the inputs of a step come from ---

@_export("Helper")
class Helper:
    """initialize(), sample(time, outputs, state), next_inputs(time, outputs, state, sample_ids)."""
    sample_ids_shape = property(lambda self: tf.TensorShape([]))
    sample_ids_dtype = property(lambda self: tf.int32)


@_export("CustomHelper")
class CustomHelper(Helper):
    def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None, sample_ids_dtype=None):
        self._initialize, self._sample, self._next = initialize_fn, sample_fn, next_inputs_fn
        self._shape, self._dtype = tf.TensorShape(sample_ids_shape or []), sample_ids_dtype or tf.int32

    batch_size = property(lambda self: self._size)
    sample_ids_shape = property(lambda self: self._shape)
    sample_ids_dtype = property(lambda self: self._dtype)

    def initialize(self, name=None):
        finished, inputs = self._initialize()
        self._size = tf.size(finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        return self._next(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


@_export("TrainingHelper")
class TrainingHelper(Helper):
    """The inputs are given: [batch, time, ...]."""

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            inputs = _nest.map_structure(tf.convert_to_tensor, inputs)
            if not time_major:
                inputs = _nest.map_structure(lambda t: tf.transpose(t, [1, 0, *range(2, t.shape.ndims)]), inputs)
            self._inputs = _nest.map_structure(
                lambda t: tf.TensorArray(t.dtype, size=tf.shape(t)[0], element_shape=t.shape[1:]).unstack(t), inputs)
            self._length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            self._zeros = _nest.map_structure(lambda t: tf.zeros_like(t[0, :]), inputs)
            self._size = tf.size(self._length)

    batch_size = property(lambda self: self._size)
    sequence_length = property(lambda self: self._length)

    def _read(self, time, finished):
        return tf.cond(tf.reduce_all(finished), lambda: self._zeros,
                       lambda: _nest.map_structure(lambda t: t.read(time), self._inputs))

    def initialize(self, name=None):
        finished = tf.equal(0, self._length)
        return finished, self._read(0, finished)

    def sample(self, time, outputs, name=None, **unused):
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time, outputs, state, name=None, **unused):
        finished = time + 1 >= self._length
        return finished, self._read(time + 1, finished), state


@_export("ScheduledEmbeddingTrainingHelper")
class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Takes the decoder's own samples as inputs with some probability."""

    def __init__(self, inputs, sequence_length, embedding, sampling_probability, time_major=False, seed=None,
                 scheduling_seed=None, name=None):
        super().__init__(inputs, sequence_length, time_major, name)
        self._embed = embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)
        self._probability, self._seed = sampling_probability, seed

    def sample(self, time, outputs, state, name=None):
        chosen = tf.random_uniform([self._size]) < self._probability
        ids = tf.cast(tf.reshape(tf.multinomial(outputs, 1, seed=self._seed), [-1]), tf.int32)
        return tf.where(chosen, ids, tf.fill([self._size], -1))

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished, inputs, state = super().next_inputs(time, outputs, state)
        mixed = tf.where(sample_ids >= 0, self._embed(tf.maximum(sample_ids, 0)), inputs)
        return finished, mixed, state


@_export("GreedyEmbeddingHelper")
class GreedyEmbeddingHelper(Helper):
    """The best id of a step is the next input."""

    def __init__(self, embedding, start_tokens, end_token):
        self._embed = embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)
        self._start = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        self._end = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        self._size = tf.size(self._start)
        self._first = self._embed(self._start)

    batch_size = property(lambda self: self._size)

    def initialize(self, name=None):
        return tf.tile([False], [self._size]), self._first

    def sample(self, time, outputs, state, name=None):
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = tf.equal(sample_ids, self._end)
        return finished, tf.cond(tf.reduce_all(finished), lambda: self._first, lambda: self._embed(sample_ids)), state


@_export("SampleEmbeddingHelper")
class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """An id drawn by the step's output is the next input."""

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time, outputs, state, name=None):
        logits = outputs if self._temperature is None else outputs / self._temperature
        return tf.cast(tf.reshape(tf.multinomial(logits, 1, seed=self._seed), [-1]), tf.int32)


# --- Decoders ---

@_export("Decoder")
class Decoder:
    """batch_size, output_size, output_dtype, initialize(), step(time, inputs, state), finalize()."""
    tracks_own_finished = False

    def finalize(self, outputs, final_state, sequence_lengths):
        raise NotImplementedError("finalize")


@_export("BasicDecoder")
class BasicDecoder(Decoder):
    """A cell with the inputs of a helper."""

    def __init__(self, cell, helper, initial_state, output_layer=None):
        self._cell, self._helper, self._initial_state, self._output_layer = cell, helper, initial_state, output_layer

    batch_size = property(lambda self: self._helper.batch_size)

    def _width(self):
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        shape = self._output_layer.compute_output_shape(tf.TensorShape([None, size]))
        return shape.as_list()[-1]

    @property
    def output_size(self):
        return BasicDecoderOutput(tf.TensorShape([self._width()]), self._helper.sample_ids_shape)

    @property
    def output_dtype(self):
        dtype = _nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(dtype, self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        with name_scope(name, "BasicDecoderStep", [time]):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(time=time, outputs=outputs, state=state, sample_ids=ids)
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


def _zeros(sizes, dtypes, batch):
    def one(size, dtype):
        shape = tf.TensorShape(size).as_list()
        made = tf.zeros(tf.concat([[batch], tf.constant(shape, dtype=tf.int32)], 0), dtype)
        known = tf.contrib.util.constant_value(batch) if hasattr(batch, "op") else batch
        made.set_shape([None if known is None else int(known), *shape])
        return made
    return _nest.map_structure(one, sizes, dtypes)


@_export("dynamic_decode")
def dynamic_decode(decoder, output_time_major=False, impute_finished=False, maximum_iterations=None, parallel_iterations=32,
                   swap_memory=False, scope=None, **kwargs):
    """(outputs, final state, lengths) of a decoder that runs until all of the batch have finished."""
    with variable_scope(scope, "decoder") as entered:
        if entered.caching_device is None:
            entered.set_caching_device(lambda op: op.device)
        most = None if maximum_iterations is None else tf.convert_to_tensor(maximum_iterations, dtype=tf.int32)
        finished, inputs, state = decoder.initialize()
        sizes, dtypes = decoder.output_size, decoder.output_dtype
        batch = decoder.batch_size
        zeros = _zeros(sizes, dtypes, batch)
        if most is not None:
            finished = tf.logical_or(finished, 0 >= most)
        lengths = tf.zeros_like(finished, dtype=tf.int32)

        def array(size, dtype):
            known = tf.contrib.util.constant_value(batch) if hasattr(batch, "op") else batch
            shape = tf.TensorShape([None if known is None else int(known)]).concatenate(tf.TensorShape(size))
            return tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape)
        arrays = _nest.map_structure(array, sizes, dtypes)

        def body(time, arrays, state, inputs, finished, lengths):
            outputs, new_state, new_inputs, now = decoder.step(time, inputs, state)
            after = now if decoder.tracks_own_finished else tf.logical_or(now, finished)
            lengths = tf.where(tf.logical_not(finished), tf.fill(tf.shape(lengths), time + 1), lengths)
            if impute_finished:
                outputs = _nest.map_structure(lambda out, zero: tf.where(finished, zero, out), outputs, zeros)

                def kept(new, old):
                    if isinstance(old, tf.TensorArray) or new.shape.ndims == 0:
                        return new
                    new.set_shape(old.shape)
                    return tf.where(finished, old, new)
                new_state = _nest.map_structure(kept, new_state, state)
            if most is not None:
                after = tf.logical_or(after, time + 1 >= most)
            arrays = _nest.map_structure(lambda a, out: a.write(time, out), arrays, outputs)
            return time + 1, arrays, new_state, new_inputs, after, lengths
        found = tf.while_loop(lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(tf.reduce_all(finished)),
                              body, (tf.constant(0), arrays, state, inputs, finished, lengths),
                              parallel_iterations=parallel_iterations, swap_memory=swap_memory)
        outputs = _nest.map_structure(lambda a: a.stack(), found[1])
        final_state, lengths = found[2], found[5]
        try:
            outputs, final_state = decoder.finalize(outputs, final_state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = _nest.map_structure(lambda t: tf.transpose(t, [1, 0, *range(2, t.shape.ndims)]), outputs)
    return outputs, final_state, lengths


# --- Beams ---

@_export("tile_batch")
def tile_batch(t, multiplier, name=None):
    """Each row of the first axis |multiplier| times."""
    def one(value):
        value = tf.convert_to_tensor(value)
        sizes = value.shape.as_list()
        made = tf.tile(tf.expand_dims(value, 1), [1, multiplier] + [1] * (value.shape.ndims - 1))
        made = tf.reshape(made, tf.concat([[tf.shape(value)[0] * multiplier], tf.shape(value)[1:]], 0))
        made.set_shape([None if sizes[0] is None else sizes[0] * multiplier, *sizes[1:]])
        return made
    with name_scope(name, "tile_batch"):
        return _nest.map_structure(one, t)


BeamSearchDecoderState = _export("BeamSearchDecoderState")(
    collections.namedtuple("BeamSearchDecoderState", ("cell_state", "log_probs", "finished", "lengths")))
BeamSearchDecoderOutput = _export("BeamSearchDecoderOutput")(
    collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")))
FinalBeamSearchDecoderOutput = _export("FinalBeamSearchDecoderOutput")(
    collections.namedtuple("FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output")))


@_export("BeamSearchDecoder")
class BeamSearchDecoder(Decoder):
    """Keeps the best |beam_width| sequences of each of the batch."""
    tracks_own_finished = True

    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width, output_layer=None,
                 length_penalty_weight=0.0, coverage_penalty_weight=0.0, reorder_tensor_arrays=True):
        if coverage_penalty_weight:
            raise NotImplementedError("coverage_penalty_weight is not there")
        self._cell, self._width, self._output_layer = cell, beam_width, output_layer
        self._embed = embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)
        self._start = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        self._end = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        self._batch, self._penalty = tf.size(self._start), length_penalty_weight
        self._known = self._start.shape.as_list()[0] if self._start.shape.ndims else None
        self._state = _nest.map_structure(self._split, initial_state)
        self._first = self._embed(tf.tile(tf.expand_dims(self._start, 1), [1, beam_width]))

    batch_size = property(lambda self: self._batch)

    def _split(self, t):
        """[batch * beams, ...] as [batch, beams, ...]"""
        if isinstance(t, tf.TensorArray) or t.shape.ndims == 0:
            return t
        sizes = t.shape.as_list()
        made = tf.reshape(t, tf.concat([[self._batch, self._width], tf.shape(t)[1:]], 0))
        made.set_shape([self._known, self._width, *sizes[1:]])
        return made

    def _merge(self, t):
        if isinstance(t, tf.TensorArray) or t.shape.ndims == 0:
            return t
        sizes = t.shape.as_list()
        made = tf.reshape(t, tf.concat([[self._batch * self._width], tf.shape(t)[2:]], 0))
        made.set_shape([None if self._known is None else self._known * self._width, *sizes[2:]])
        return made

    output_size = property(lambda self: BeamSearchDecoderOutput(*[tf.TensorShape([self._width])] * 3))
    output_dtype = property(lambda self: BeamSearchDecoderOutput(tf.float32, tf.int32, tf.int32))

    def initialize(self, name=None):
        first = tf.one_hot(tf.zeros([self._batch], tf.int32), self._width, on_value=False, off_value=True, dtype=tf.bool)
        log_probs = tf.one_hot(tf.zeros([self._batch], tf.int32), self._width, on_value=0.0, off_value=-float("inf"))
        finished = tf.zeros_like(first)
        lengths = tf.zeros(tf.stack([self._batch, self._width]), tf.int64)
        lengths.set_shape([self._known, self._width])
        return first, self._first, BeamSearchDecoderState(self._state, log_probs, finished, lengths)

    def _scores(self, log_probs, lengths):
        if not self._penalty:
            return log_probs
        return log_probs / tf.pow((5.0 + tf.cast(lengths, tf.float32)) / 6.0, self._penalty)

    def step(self, time, inputs, state, name=None):
        with name_scope(name, "BeamSearchDecoderStep", [time]):
            flat_inputs = _nest.map_structure(self._merge, inputs)
            outputs, cell_state = self._cell(flat_inputs, _nest.map_structure(self._merge, state.cell_state))
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            outputs = self._split(outputs)
            cell_state = _nest.map_structure(self._split, cell_state)
            vocabulary = outputs.shape.as_list()[-1] or tf.shape(outputs)[-1]
            steps = tf.nn.log_softmax(outputs)
            # A finished sequence only goes on with its end.
            only_end = tf.one_hot(tf.fill(tf.stack([self._batch, self._width]), self._end), vocabulary, on_value=0.0,
                                  off_value=steps.dtype.min)
            done = tf.cast(tf.expand_dims(state.finished, 2), steps.dtype)
            steps = (1.0 - done) * steps + done * only_end
            total = tf.expand_dims(state.log_probs, 2) + steps
            growing = tf.logical_not(state.finished)
            not_end = tf.one_hot(tf.fill(tf.stack([self._batch, self._width]), self._end), vocabulary, on_value=tf.constant(
                0, tf.int64), off_value=tf.constant(1, tf.int64), dtype=tf.int64)
            lengths = tf.expand_dims(state.lengths, 2) + not_end * tf.cast(tf.expand_dims(growing, 2), tf.int64)
            scores = self._scores(total, lengths)
            flat = tf.reshape(scores, tf.stack([self._batch, -1]))
            best, places = tf.nn.top_k(flat, k=self._width)
            ids, parents = tf.cast(places % vocabulary, tf.int32), tf.cast(places // vocabulary, tf.int32)
            rows = tf.tile(tf.expand_dims(tf.range(self._batch), 1), [1, self._width])
            chosen = tf.stack([rows, parents], 2)

            def from_parents(t):
                if isinstance(t, tf.TensorArray) or t.shape.ndims is not None and t.shape.ndims < 2:
                    return t
                made = tf.gather_nd(t, chosen)
                made.set_shape(t.shape)
                return made
            log_probs = tf.gather_nd(tf.reshape(total, tf.stack([self._batch, -1])), tf.stack([rows, places], 2))
            before = from_parents(state.finished)
            finished = tf.logical_or(before, tf.equal(ids, self._end))
            new_lengths = from_parents(state.lengths) + tf.cast(tf.logical_not(before), tf.int64)
            for tensor in log_probs, finished, new_lengths, ids, parents, best:
                tensor.set_shape([self._known, self._width])
            new = BeamSearchDecoderState(_nest.map_structure(from_parents, cell_state), log_probs, finished, new_lengths)
            next_inputs = tf.cond(tf.reduce_all(finished), lambda: self._first, lambda: self._embed(ids))
            return BeamSearchDecoderOutput(best, ids, parents), new, next_inputs, finished

    def finalize(self, outputs, final_state, sequence_lengths):
        most = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, most, self._end)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state


@_export("gather_tree")
def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """The sequences [time, batch, beams] whose last steps are the beams'. Beyond their ends they hold |end_token|."""
    with name_scope(name, "GatherTree"):
        time, batch, beams = (tf.shape(step_ids)[i] for i in range(3))
        rows = tf.tile(tf.expand_dims(tf.range(batch), 1), [1, beams])
        last = tf.tile(tf.expand_dims(tf.range(beams), 0), [batch, 1])
        limit = tf.expand_dims(tf.minimum(tf.cast(max_sequence_lengths, tf.int32), time), 1)

        def back(parents, at):
            place = tf.stack([rows, parents], 2)
            inside = at[0] < limit
            return tf.where(tf.logical_and(inside, tf.ones_like(parents, tf.bool)), tf.gather_nd(at[2], place), parents)
        # Which beam each step belongs to: from the last step to the first.
        steps = tf.range(time)
        later = tf.scan(back, (steps, step_ids, parent_ids), initializer=last, reverse=True)
        owners = tf.concat([later[1:], tf.expand_dims(last, 0)], 0)
        place = tf.stack([tf.tile(tf.reshape(steps, [-1, 1, 1]), [1, batch, beams]),
                          tf.tile(tf.expand_dims(rows, 0), [time, 1, 1]), owners], 3)
        ids = tf.gather_nd(step_ids, place)
        ended = tf.cumsum(tf.cast(tf.equal(ids, end_token), tf.int32), axis=0, exclusive=True) > 0
        beyond = tf.expand_dims(tf.expand_dims(steps, 1) >= tf.squeeze(limit, 1), 2)
        ended = tf.logical_or(ended, tf.logical_and(beyond, tf.ones_like(ended)))
        made = tf.where(ended, tf.fill(tf.shape(ids), end_token), ids)
        made.set_shape(step_ids.shape)
        return made
