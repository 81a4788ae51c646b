"""tf.data.experimental: further sources and transformations, which Dataset.apply() takes."""
import collections

from sluice import _dtypes
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._dataset import Body, Dataset, boolean, int64, returned_dataset, seeds, text
from sluice._graph import get_default_graph, name_scope
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._structure import (DatasetSpec, SparseTensorSpec, TensorSpec, flat_shapes, flat_types, flatten, from_flat,
                               map_structure, normalized, pack_as, spec_of)

Reducer = export("data.experimental.Reducer")(collections.namedtuple("Reducer", ["init_func", "reduce_func", "finalize_func"]))


# --- Batches ---

@export("data.experimental.map_and_batch", "data.experimental.map_and_batch_with_legacy_function",
        "contrib.data.map_and_batch")
def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """Dataset.map() and Dataset.batch() in one."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
                         "both were set")
    calls = num_parallel_calls if num_parallel_calls is not None else batch_size * (num_parallel_batches or 1)

    def transform(dataset):
        body = Body(map_func, "tf_data_experimental_map_and_batch", dataset.element_spec)
        size, parallel = int64(batch_size, "batch_size"), int64(calls, "num_parallel_calls")
        drop = boolean(drop_remainder, "drop_remainder")
        spec = Dataset(None, body.spec)._batched(size, drop)
        return dataset._made("MapAndBatchDataset", spec, other_arguments=body.captures, batch_size=size,
                             num_parallel_calls=parallel, drop_remainder=drop, f=body.function, preserve_cardinality=True)
    return transform


@export("data.experimental.unbatch", "contrib.data.unbatch")
def unbatch():
    return lambda dataset: dataset.unbatch()


@export("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size, row_shape):
    """Batches of tensors of different shapes as sparse tensors; |row_shape| is the largest shape."""
    def transform(dataset):
        spec = dataset.element_spec
        if type(spec) is not TensorSpec:
            raise TypeError("`dense_to_sparse_batch` requires an input dataset whose elements have a single component")
        sizes = [-1 if d is None else d for d in TensorShape(row_shape).as_list()]
        made = SparseTensorSpec(TensorShape([None]).concatenate(TensorShape(row_shape)), spec.dtype)
        return dataset._made("DenseToSparseBatchDataset", made, batch_size=batch_size,
                             row_shape=convert_to_tensor(sizes, dtype=_dtypes.int64))
    return transform


@export("data.experimental.group_by_window", "contrib.data.group_by_window")
def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """Collects up to |window_size| elements of one key, and gives the datasets of them to |reduce_func|."""
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Exactly one of the `window_size` and `window_size_func` arguments must be given")
    size_func = window_size_func or (lambda unused_key: convert_to_tensor(window_size, dtype=_dtypes.int64))

    def as_int64(function):
        return lambda *arguments: convert_to_tensor(function(*arguments), dtype=_dtypes.int64)

    def transform(dataset):
        label, key = "Dataset_group_by_window", TensorSpec([], _dtypes.int64)
        keys = Body(as_int64(key_func), label, dataset.element_spec, "key_func_wrapper")
        reduced = Body(reduce_func, label, DatasetSpec(dataset.element_spec), extra=(key,))
        sizes = Body(as_int64(size_func), label, key, "window_size_func_wrapper")
        return dataset._made("GroupByWindowDataset", returned_dataset(reduced, "`reduce_func`"),
                             key_func_other_arguments=keys.captures, reduce_func_other_arguments=reduced.captures,
                             window_size_func_other_arguments=sizes.captures, key_func=keys.function,
                             reduce_func=reduced.function, window_size_func=sizes.function)
    return transform


@export("data.experimental.bucket_by_sequence_length", "contrib.data.bucket_by_sequence_length")
def bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None,
                              padding_values=None, pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False):
    """Batches of elements of similar length, padded to the longest of each batch."""
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError("`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)=%d` "
                         "and `len(bucket_boundaries)=%d`." % (len(bucket_batch_sizes), len(bucket_boundaries)))
    lowest, highest = -2**31, 2**31 - 1

    def bucket_of(*element):
        length = element_length_func(*element)
        starts, ends = [lowest] + list(bucket_boundaries), list(bucket_boundaries) + [highest]
        inside = apply("LogicalAnd", None, x=apply("LessEqual", None, x=starts, y=length),
                       y=apply("Less", None, x=length, y=ends))
        return apply("Min", None, input=apply("Where", None, input=inside), reduction_indices=constant([0, 1], dtype=_dtypes.int32))

    def transform(dataset):
        sizes = convert_to_tensor(list(bucket_batch_sizes), dtype=_dtypes.int64)

        def batching_fn(bucket, group):
            size = sizes[bucket]
            if no_padding:
                return group.batch(size, drop_remainder=drop_remainder)
            filler = None
            if pad_to_bucket_boundary:
                check = apply("Less", None, x=bucket, y=convert_to_tensor(len(bucket_batch_sizes) - 1, dtype=_dtypes.int64))
                with name_scope("Assert"):
                    done = apply("Assert", None, condition=check, data=["When pad_to_bucket_boundary=True, elements must "
                                                                        "have length < max(bucket_boundaries)."], summarize=3)
                with get_default_graph().control_dependencies([done]):
                    filler = constant(list(bucket_boundaries), dtype=_dtypes.int64)[bucket] - 1
            shapes = padded_shapes if padded_shapes is not None else group.output_shapes
            if filler is not None:
                shapes = map_structure(lambda s: apply("Pack", None, values=[
                    filler if d is None else convert_to_tensor(d, dtype=_dtypes.int64)
                    for d in TensorShape(s).as_list()], axis=0) if TensorShape(s).as_list() else TensorShape(s), shapes)
            return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)
        return dataset.apply(group_by_window(bucket_of, batching_fn, window_size_func=lambda bucket: sizes[bucket]))
    return transform


@export("data.experimental.group_by_reducer")
def group_by_reducer(key_func, reducer):
    """One result for each key: the reducer's functions start, extend and finish it."""
    def transform(dataset):
        label, key = "tf_data_experimental_group_by_reducer", TensorSpec([], _dtypes.int64)
        keys = Body(key_func, label, dataset.element_spec)
        start = Body(reducer.init_func, label, key)
        step = Body(reducer.reduce_func, label, dataset.element_spec, extra=(start.spec,))
        finish = Body(reducer.finalize_func, label, step.spec)
        return dataset._made("ExperimentalGroupByReducerDataset", finish.spec, key_func_other_arguments=keys.captures,
                             init_func_other_arguments=start.captures, reduce_func_other_arguments=step.captures,
                             finalize_func_other_arguments=finish.captures, key_func=keys.function,
                             init_func=start.function, reduce_func=step.function, finalize_func=finish.function)
    return transform


# --- Order ---

@export("data.experimental.shuffle_and_repeat", "contrib.data.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size, count=None, seed=None):
    def transform(dataset):
        size, times = int64(buffer_size, "buffer_size"), int64(-1 if count is None else count, "count")
        first, second = seeds(seed)
        return dataset._made("ShuffleAndRepeatDataset", buffer_size=size, seed=first, seed2=second, count=times)
    return transform


@export("data.experimental.parallel_interleave", "contrib.data.parallel_interleave")
def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None,
                        prefetch_input_elements=None):
    """Elements of several datasets at once."""
    def transform(dataset):
        body = Body(map_func, "tf_data_experimental_parallel_interleave", dataset.element_spec)
        spec = returned_dataset(body, "`map_func`")
        cycle, block = int64(cycle_length, "cycle_length"), int64(block_length, "block_length")
        buffered = int64(2 * block_length if buffer_output_elements is None else buffer_output_elements,
                         "buffer_output_elements")
        fetched = int64(2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements,
                        "prefetch_input_elements")
        return dataset._made("LegacyParallelInterleaveDatasetV2", spec, other_arguments=body.captures, cycle_length=cycle,
                             block_length=block, buffer_output_elements=buffered, prefetch_input_elements=fetched,
                             f=body.function, deterministic="false" if sloppy else "true")
    return transform


@export("data.experimental.sample_from_datasets", "contrib.data.sample_from_datasets")
def sample_from_datasets(datasets, weights=None, seed=None):
    """Elements of |datasets| in random turns; |weights| are their chances, equal without it."""
    datasets = list(datasets)
    if isinstance(weights, Dataset):
        raise NotImplementedError("sample_from_datasets(): weights that are a dataset are not there yet")
    if weights is None:
        values = [1.0] * len(datasets)
        logits = convert_to_tensor([values], name="logits")
    else:
        values = convert_to_tensor(weights, name="weights")
        if values.shape.as_list() != [len(datasets)]:
            raise ValueError("`weights` must be a vector of length `len(datasets)`.")
        logits = apply("ExpandDims", None, input=apply("Log", "logits", x=values), dim=0)

    def select_dataset_constant_logits(seed_pair):
        drawn = apply("StatelessMultinomial", None, logits=logits, num_samples=1, seed=seed_pair)
        return apply("Squeeze", None, input=drawn, squeeze_dims=[0, 1])
    chosen = RandomDataset(seed).batch(2)
    body = Body(select_dataset_constant_logits, "Dataset_map", chosen.element_spec)
    spec = TensorSpec([], _dtypes.int64)
    selector = chosen._made("MapDataset", spec, other_arguments=body.captures, f=body.function,
                            use_inter_op_parallelism=False, preserve_cardinality=True)
    return _directed(selector, datasets)


def _directed(selector, datasets):
    first = datasets[0].element_spec
    for other in datasets[1:]:
        if [s.dtype for s in flatten(other.element_spec)] != [s.dtype for s in flatten(first)]:
            raise ValueError("All datasets must have elements of the same types: %s and %s" % (first, other.element_spec))
    spec = first
    for other in datasets[1:]:
        spec = pack_as(spec, [a.merged(b) for a, b in zip(flatten(spec), flatten(other.element_spec))])
    return Dataset(apply("DirectedInterleaveDataset", None, selector_input_dataset=selector._variant_tensor,
                         data_input_datasets=[d._variant_tensor for d in datasets], output_types=flat_types(spec),
                         output_shapes=flat_shapes(spec)), spec)


def _rewritten(dataset):
    return dataset._made("RewriteDataset", rewrite_name="replicate_on_split")


@export("data.experimental.choose_from_datasets", "contrib.data.choose_from_datasets")
def choose_from_datasets(datasets, choice_dataset):
    """Elements of |datasets|; |choice_dataset| says by number whose turn it is."""
    spec = choice_dataset.element_spec
    if type(spec) is not TensorSpec or spec.dtype != _dtypes.int64 or not spec.shape.is_compatible_with([]):
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    return _directed(_rewritten(choice_dataset), list(datasets))


@export("data.experimental.enumerate_dataset", "contrib.data.enumerate_dataset")
def enumerate_dataset(start=0):
    return lambda dataset: Dataset.zip((_rewritten(Dataset.range(start, 2**63 - 1)), dataset))


# --- Elements ---

@export("data.experimental.scan")
def scan(initial_state, scan_func):
    """scan_func(state, element) -> (state, element)."""
    def transform(dataset):
        state = normalized(initial_state)
        spec = map_structure(spec_of, state)
        parts = [s.to_flat(v) for s, v in zip(flatten(spec), flatten(state))]

        def checked(old, element):
            result = scan_func(old, element)
            if not isinstance(result, (list, tuple)) or len(result) != 2:
                raise TypeError("`scan_func` must return a pair: the new state and the output value.")
            return tuple(result)
        checked.__name__ = getattr(scan_func, "__name__", "scan").replace("<lambda>", "lambda")
        for _ in range(3):
            body = Body(checked, "Dataset_scan", dataset.element_spec, extra=(spec,))
            weaker = pack_as(spec, [a.merged(b) for a, b in zip(flatten(spec), flatten(body.spec[0]))])
            if weaker == spec:
                break
            spec = weaker
        return dataset._made("ScanDataset", body.spec[1], initial_state=parts, other_arguments=body.captures, f=body.function,
                             preserve_cardinality=True)
    return transform


@export("data.experimental.take_while")
def take_while(predicate):
    def transform(dataset):
        body = Body(predicate, "Dataset_take_while", dataset.element_spec)
        return dataset._made("TakeWhileDataset", other_arguments=body.captures, predicate=body.function)
    return transform


@export("data.experimental.ignore_errors", "contrib.data.ignore_errors")
def ignore_errors():
    """Leaves out elements whose making fails."""
    return lambda dataset: dataset._made("IgnoreErrorsDataset")


@export("data.experimental.unique", "contrib.data.unique")
def unique():
    return lambda dataset: dataset._made("UniqueDataset")


@export("data.experimental.prefetch_to_device", "contrib.data.prefetch_to_device")
def prefetch_to_device(device, buffer_size=None):
    """Prefetches: the only devices are CPUs."""
    return lambda dataset: dataset.prefetch(-1 if buffer_size is None else buffer_size)


@export("data.experimental.copy_to_device")
def copy_to_device(target_device, source_device="/cpu:0"):
    """The dataset itself: the only devices are CPUs."""
    return lambda dataset: dataset


@export("data.experimental.get_single_element")
def get_single_element(dataset):
    """The element of a dataset that has one."""
    spec = dataset.element_spec
    parts = apply("DatasetToSingleElement", None, dataset=dataset._variant_tensor, output_types=flat_types(spec),
                  output_shapes=flat_shapes(spec))
    return from_flat(spec, parts)


@export("data.experimental.cardinality")
def cardinality(dataset):
    """The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
    return apply("DatasetCardinality", None, input_dataset=dataset._variant_tensor)


@export("data.experimental.to_variant")
def to_variant(dataset):
    return dataset._variant_tensor


@export("data.experimental.from_variant")
def from_variant(variant, structure):
    return Dataset(variant, structure)


# --- Sources ---

@export("data.experimental.RandomDataset")
class RandomDataset(Dataset):
    """Random integers without end."""

    def __init__(self, seed=None):
        first, second = seeds(seed)
        spec = TensorSpec([], _dtypes.int64)
        super().__init__(apply("RandomDataset", None, seed=first, seed2=second, output_types=flat_types(spec),
                               output_shapes=flat_shapes(spec)), spec)


@export("data.experimental.Counter", "contrib.data.Counter")
def Counter(start=0, step=1, dtype=_dtypes.int64):
    with name_scope("counter"):
        start = convert_to_tensor(start, dtype=dtype, name="start")
        step = convert_to_tensor(step, dtype=dtype, name="step")
        repeated = Dataset.from_tensors(0).repeat(None)

        def count(state, unused):
            return state + step, state
        spec = TensorSpec([], dtype)
        body = Body(count, "Dataset_scan", repeated.element_spec, "lambda", extra=(spec,))
        return repeated._made("ScanDataset", spec, initial_state=[start], other_arguments=body.captures, f=body.function,
                              preserve_cardinality=True)


@export("data.experimental.CsvDataset", "contrib.data.CsvDataset")
class CsvDataset(Dataset):
    """The rows of CSV files. |record_defaults|: for each column its default, or its type if it must have a value."""

    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False, field_delim=",",
                 use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None):
        names = convert_to_tensor(filenames, dtype=_dtypes.string, name="filenames")
        compression = text(compression_type, "compression_type")
        defaults = []
        for i, default in enumerate(record_defaults):
            if isinstance(default, _dtypes.DType):
                defaults.append(constant([], dtype=default))
            else:
                label = "record_defaults_%d" % i
                defaults.append(convert_to_tensor(default, name=label))
        size = int64(4 * 1024 * 1024 if buffer_size is None else buffer_size, "buffer_size")
        header = boolean(header, "header")
        delimiter = text(field_delim, "field_delim", ",")
        quotes = boolean(use_quote_delim, "use_quote_delim")
        missing = text(na_value, "na_value")
        selected = int64([] if select_cols is None else select_cols, "select_cols")
        excluded = int64([] if exclude_cols is None else exclude_cols, "exclude_cols")
        spec = tuple(TensorSpec([], d.dtype) for d in defaults)
        super().__init__(apply("CSVDatasetV2", None, filenames=names, compression_type=compression, buffer_size=size,
                               header=header, field_delim=delimiter, use_quote_delim=quotes, na_value=missing,
                               select_cols=selected, record_defaults=defaults, exclude_cols=excluded,
                               output_shapes=flat_shapes(spec)), spec)


@export("data.experimental.TFRecordWriter")
class TFRecordWriter:
    """Writes a dataset of texts to a TFRecord file, in the graph."""

    def __init__(self, filename, compression_type=None):
        self._filename = text(filename, "filename")
        self._compression = text(compression_type, "compression_type")

    def write(self, dataset):
        if flat_types(dataset.element_spec) != [_dtypes.string] or not dataset.output_shapes.is_compatible_with([]):
            raise TypeError("`dataset` must produce scalar `DT_STRING` tensors")
        return apply("DatasetToTFRecord", None, input_dataset=dataset._variant_tensor, filename=self._filename,
                     compression_type=self._compression)


# --- Examples ---

@export("data.experimental.parse_example_dataset")
def parse_example_dataset(features, num_parallel_calls=1):
    """Batches of serialized Examples as dictionaries of their features."""
    if features is None:
        raise ValueError("Missing: features was %s." % features)

    def transform(dataset):
        if flat_types(dataset.element_spec) != [_dtypes.string]:
            raise TypeError("Input dataset should be a dataset of vectors of strings.")
        from sluice._parse import parse_example
        if num_parallel_calls == 1:
            return dataset.map(lambda batch: parse_example(batch, features))
        return dataset.map(lambda batch: parse_example(batch, features), num_parallel_calls=num_parallel_calls)
    return transform


@export("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(file_pattern, batch_size, features, reader=None, label_key=None, reader_args=None,
                                  num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                                  prefetch_buffer_size=-1, reader_num_threads=1, parser_num_threads=2, sloppy_ordering=False,
                                  drop_final_batch=False):
    """Batches of the features of Examples in files: {key: tensor}, or (features, label) with |label_key|."""
    from sluice._dataset import TFRecordDataset
    reader = TFRecordDataset if reader is None else reader
    names = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    if reader_num_threads < 1:
        raise ValueError("reader_num_threads must be at least 1, got %d" % reader_num_threads)
    dataset = names.apply(parallel_interleave(lambda name: reader(name, *(reader_args or [])), reader_num_threads,
                                              sloppy=sloppy_ordering))
    if type(dataset.element_spec) is tuple and len(dataset.element_spec) == 2:  # (key, value)
        dataset = dataset.map(lambda _, value: value)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, num_parallel_calls=parser_num_threads))
    if label_key:
        if label_key not in features:
            raise ValueError("The `label_key` provided (%r) must be one of the `features` keys." % label_key)
        dataset = dataset.map(lambda x: (x, x.pop(label_key)))
    return dataset.prefetch(prefetch_buffer_size)
