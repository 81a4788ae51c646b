"""tf.data: datasets and the transformations that are their methods."""
import multiprocessing

from sluice import _dtypes
from sluice._api import export, export_value
from sluice._convert import constant, convert_to_tensor
from sluice._static import constant_value
from sluice._function import name_of, trace, true_attribute
from sluice._graph import Tensor, colocate_with, control_dependencies, name_scope
from sluice._oplib import apply
from sluice._random import get_seed
from sluice._sparse_tensor import SparseTensor
from sluice._structure import (DatasetSpec, TensorSpec, flat_shapes, flat_types, flatten, from_flat, map_structure,
                               normalized, pack_as, spec_of)

AUTOTUNE = export_value(-1, "data.experimental.AUTOTUNE", "data.AUTOTUNE")
INFINITE_CARDINALITY = export_value(-1, "data.experimental.INFINITE_CARDINALITY")
UNKNOWN_CARDINALITY = export_value(-2, "data.experimental.UNKNOWN_CARDINALITY")


# --- Arguments ---

def int64(value, name):
    return convert_to_tensor(value, dtype=_dtypes.int64, name=name)


def boolean(value, name):
    return convert_to_tensor(value, dtype=_dtypes.bool, name=name)


def text(value, name, default=""):
    return convert_to_tensor(default if value is None else value, dtype=_dtypes.string, name=name)


def seeds(seed):
    """The two seeds of a random dataset; both zero means: choose them when an iterator starts."""
    seed, seed2 = get_seed(seed)
    seed = int64(0 if seed is None else seed, "seed")
    if seed2 is None:
        return seed, int64(0, "seed2")
    with name_scope("seed2") as scope:
        seed2 = int64(seed2, None)
        both_zero = apply("LogicalAnd", None, x=apply("Equal", None, x=seed, y=0), y=apply("Equal", None, x=seed2, y=0))
        return seed, apply("SelectV2", scope, condition=both_zero, t=constant(2**31 - 1, dtype=_dtypes.int64), e=seed2)


# --- Bodies ---

class Body:
    """A function of elements, traced: its function, and what is known of its result."""

    def __init__(self, function, label, spec, name=None, extra=()):
        """|extra|: specs of arguments before those of the element; with them the element is one argument."""
        self.spec = None
        specs = [s for e in extra for s in flatten(e)] + flatten(spec)

        def body(*tensors):
            tensors, arguments = list(tensors), []
            for part in list(extra) + [spec]:
                count = len(flatten(part))
                arguments.append(from_flat(part, tensors[:count]))
                del tensors[:count]
            element = arguments.pop()
            if type(element) is tuple and not extra:
                arguments += element
            else:
                arguments.append(element)
            result = function(*arguments)
            if isinstance(result, list):
                result = tuple(result)
            result = pack_as(result, [v if _is_value(v) else convert_to_tensor(v) for v in flatten(result)])
            self.spec = map_structure(spec_of, result)
            return [s.to_flat(v) for s, v in zip(flatten(self.spec), flatten(result))]

        self.function = trace(body, [(s.flat_type, s.flat_shape) for s in specs], label + "_" + (name or name_of(function)),
                              {"_tf_data_function": true_attribute()})
        self.captures = self.function.captures


def _is_value(value):
    return isinstance(value, (Tensor, SparseTensor)) or any(
        hasattr(value, name) for name in ("_variant_tensor", "_optional_variant", "nested_row_splits"))


def returned_dataset(body, what):
    """The spec of the elements of the dataset that |body| returns."""
    if not isinstance(body.spec, DatasetSpec):
        raise TypeError("%s must return a `Dataset` object. Got %s" % (what, body.spec))
    return body.spec.element_spec


@export("data.Options")
class Options:
    """Options of a dataset. They are kept but have no effect: the library decides how a dataset is run."""

    def __init__(self):
        self.__dict__["_groups"] = {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name.startswith("experimental_") or name in ("autotune", "threading", "experimental_optimization"):
            return self._groups.setdefault(name, _Group())
        return self._groups.get(name)

    def __setattr__(self, name, value):
        self._groups[name] = value

    def merge(self, options):
        made = Options()
        made._groups.update(self._groups)
        made._groups.update(options._groups)
        return made


class _Group:
    """A group of options: any attribute may be set."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


@export("data.Dataset")
class Dataset:
    """Elements that a graph reads one by one. Transformations return new datasets."""

    def __init__(self, variant_tensor, element_spec):
        self._variant_tensor, self._spec = variant_tensor, element_spec

    element_spec = property(lambda self: self._spec)
    output_types = property(lambda self: map_structure(lambda s: s.dtype, self._spec))
    output_shapes = property(lambda self: map_structure(lambda s: s.shape, self._spec))
    output_classes = property(lambda self: map_structure(lambda s: s.value_class, self._spec))
    _graph = property(lambda self: self._variant_tensor.graph)

    def __repr__(self):
        return "<Dataset shapes: %s, types: %s>" % (self.output_shapes, self.output_types)

    def __iter__(self):
        raise RuntimeError("__iter__() is only supported inside of tf.function or when eager execution is enabled.")

    def options(self):
        return getattr(self, "_options", None) or Options()

    def _shapes(self, spec=None):
        """The attributes that nearly all ops of datasets have."""
        spec = self._spec if spec is None else spec
        return {"output_types": flat_types(spec), "output_shapes": flat_shapes(spec)}

    def _made(self, kind, spec=None, **arguments):
        """The dataset of op |kind| on this one."""
        spec = self._spec if spec is None else spec
        return Dataset(apply(kind, None, input_dataset=self._variant_tensor, **arguments, **self._shapes(spec)), spec)

    # --- Sources ---

    @staticmethod
    def from_tensors(tensors):
        """One element."""
        element = normalized(tensors)
        spec = map_structure(spec_of, element)
        parts = [s.to_flat(v) for s, v in zip(flatten(spec), flatten(element))]
        return Dataset(apply("TensorDataset", None, components=parts, output_shapes=flat_shapes(spec)), spec)

    @staticmethod
    def from_tensor_slices(tensors):
        """The rows of |tensors|."""
        element = normalized(tensors)
        spec = map_structure(spec_of, element)
        parts = [s.to_batched(v) for s, v in zip(flatten(spec), flatten(element))]
        for s in flatten(spec):
            if s.shape.ndims == 0:
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        spec = map_structure(lambda s: s.unbatched(), spec)
        return Dataset(apply("TensorSliceDataset", None, components=parts, output_shapes=flat_shapes(spec)), spec)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor):
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError("`sparse_tensor` must be a `tf.SparseTensor` object.Was %s." % (sparse_tensor,))
        rank = sparse_tensor.dense_shape.shape.as_list()[0]
        rank = None if rank is None else rank - 1
        spec = (TensorSpec([None, rank], _dtypes.int64), TensorSpec([None], sparse_tensor.dtype),
                TensorSpec([rank], _dtypes.int64))
        return Dataset(apply("SparseTensorSliceDataset", None, indices=sparse_tensor.indices, values=sparse_tensor.values,
                             dense_shape=sparse_tensor.dense_shape), spec)

    @staticmethod
    def from_generator(generator, output_types, output_shapes=None, args=None):
        """The values of an iterator, which generator(*args) makes anew for every pass."""
        from sluice._generator import from_generator
        return from_generator(generator, output_types, output_shapes, args)

    @staticmethod
    def range(*args, **kwargs):
        if kwargs:
            raise TypeError("range() got an unexpected keyword argument '%s'" % next(iter(kwargs)))
        if not 1 <= len(args) <= 3:
            raise ValueError("Invalid `args`. The length of `args` should be between 1 and 3, but got %d." % len(args))
        start, stop, step = ((0, args[0], 1) if len(args) == 1 else (args[0], args[1], 1) if len(args) == 2 else args)
        spec = TensorSpec([], _dtypes.int64)
        return Dataset(apply("RangeDataset", None, start=int64(start, "start"), stop=int64(stop, "stop"),
                             step=int64(step, "step"), output_types=flat_types(spec), output_shapes=flat_shapes(spec)), spec)

    @staticmethod
    def zip(datasets):
        """Tuples of elements, one of each dataset."""
        if isinstance(datasets, list):
            raise TypeError("The argument to `Dataset.zip()` must be a (nested structure of) `Dataset` objects. Nested "
                            "structures do not support Python `list`s; use a tuple instead: %s" % datasets)
        for dataset in flatten(datasets):
            if not isinstance(dataset, Dataset):
                raise TypeError("The argument to `Dataset.zip()` must be a (nested structure of) `Dataset` objects, got %r" %
                                (dataset,))
        spec = pack_as(datasets, [d._spec for d in flatten(datasets)])
        return Dataset(apply("ZipDataset", None, input_datasets=[d._variant_tensor for d in flatten(datasets)],
                             output_types=flat_types(spec), output_shapes=flat_shapes(spec)), spec)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None):
        """The names of the files that match; in random order unless |shuffle| is False."""
        from sluice._array import shape_of
        with name_scope("list_files"):
            shuffle = True if shuffle is None else shuffle
            pattern = convert_to_tensor(file_pattern, dtype=_dtypes.string, name="file_pattern")
            found = apply("MatchingFiles", None, pattern=pattern)
            some = apply("Greater", "match_not_empty", x=shape_of(found)[0], y=0)
            with name_scope("ReduceJoin"):
                axes = constant(list(range(pattern.shape.ndims or 0)), dtype=_dtypes.int32)
                joined = apply("ReduceJoin", None, inputs=pattern, reduction_indices=axes, separator=", ")
            report = apply("Add", "message", x="No files matched pattern: ", y=joined)
            with name_scope("assert_not_empty"):
                check = apply("Assert", None, condition=some, data=[report], summarize=1)
            with control_dependencies([check]):
                found = apply("Identity", None, input=found)
            dataset = _slices_of_files(found)
            if shuffle:
                size = apply("Maximum", None, x=shape_of(found, out_type=_dtypes.int64)[0], y=1)
                dataset = dataset.shuffle(size, seed=seed)
            return dataset

    # --- Transformations ---

    def map(self, map_func, num_parallel_calls=None, deterministic=None):
        body = Body(map_func, "Dataset_map", self._spec)
        if num_parallel_calls is None:
            return self._made("MapDataset", body.spec, other_arguments=body.captures, f=body.function)
        return self._made("ParallelMapDatasetV2", body.spec, other_arguments=body.captures,
                          num_parallel_calls=int64(num_parallel_calls, "num_parallel_calls"), f=body.function,
                          deterministic="default" if deterministic is None else "true" if deterministic else "false")

    map_with_legacy_function = map

    def flat_map(self, map_func):
        body = Body(map_func, "Dataset_flat_map", self._spec)
        return self._made("FlatMapDataset", returned_dataset(body, "`map_func`"), other_arguments=body.captures,
                          f=body.function)

    def interleave(self, map_func, cycle_length=AUTOTUNE, block_length=1, num_parallel_calls=None, deterministic=None):
        if isinstance(cycle_length, int) and cycle_length == AUTOTUNE:
            cycle_length = multiprocessing.cpu_count()
        body = Body(map_func, "Dataset_interleave", self._spec)
        spec = returned_dataset(body, "`map_func`")
        arguments = {"other_arguments": body.captures, "cycle_length": int64(cycle_length, "cycle_length"),
                     "block_length": int64(block_length, "block_length"), "f": body.function}
        if num_parallel_calls is None:
            return self._made("InterleaveDataset", spec, **arguments)
        return self._made("ParallelInterleaveDatasetV4", spec, **arguments,
                          buffer_output_elements=int64(AUTOTUNE, "buffer_output_elements"),
                          prefetch_input_elements=int64(AUTOTUNE, "prefetch_input_elements"),
                          num_parallel_calls=int64(num_parallel_calls, "num_parallel_calls"),
                          deterministic="default" if deterministic is None else "true" if deterministic else "false")

    def filter(self, predicate):
        body = Body(predicate, "Dataset_filter", self._spec)
        if not isinstance(body.spec, TensorSpec) or body.spec.dtype != _dtypes.bool or \
                not body.spec.shape.is_compatible_with([]):
            raise ValueError("`predicate` return type must be convertible to a scalar boolean tensor. Was %s." % (body.spec,))
        return self._made("FilterDataset", other_arguments=body.captures, predicate=body.function)

    filter_with_legacy_function = filter

    def batch(self, batch_size, drop_remainder=False):
        batch_size = int64(batch_size, "batch_size")
        drop = boolean(drop_remainder, "drop_remainder")
        return self._made("BatchDatasetV2", self._batched(batch_size, drop), batch_size=batch_size, drop_remainder=drop)

    def _batched(self, batch_size, drop_remainder):
        size = constant_value(batch_size) if _is_true(drop_remainder) else None
        return map_structure(lambda s: s.batched(None if size is None else int(size)), self._spec)

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False):
        from sluice._padding import padded_batch
        return padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None):
        buffer_size = int64(buffer_size, "buffer_size")
        seed, seed2 = seeds(seed)
        return self._made("ShuffleDataset", buffer_size=buffer_size, seed=seed, seed2=seed2,
                          reshuffle_each_iteration=True if reshuffle_each_iteration is None else reshuffle_each_iteration)

    def repeat(self, count=None):
        return self._made("RepeatDataset", count=int64(-1 if count is None else count, "count"))

    def take(self, count):
        return self._made("TakeDataset", count=int64(count, "count"))

    def skip(self, count):
        return self._made("SkipDataset", count=int64(count, "count"))

    def shard(self, num_shards, index):
        return self._made("ShardDataset", num_shards=int64(num_shards, "num_shards"), index=int64(index, "index"))

    def cache(self, filename=""):
        return self._made("CacheDataset", filename=text(filename, "filename"))

    def prefetch(self, buffer_size):
        size = int64(buffer_size, "buffer_size")
        with colocate_with(self._variant_tensor):
            return self._made("PrefetchDataset", buffer_size=size)

    def concatenate(self, dataset):
        if self.output_types != dataset.output_types:
            raise TypeError("Incompatible types of input datasets: %s vs. %s" % (self._spec, dataset._spec))
        spec = pack_as(self._spec, [a.merged(b) for a, b in zip(flatten(self._spec), flatten(dataset._spec))])
        return self._made("ConcatenateDataset", spec, another_dataset=dataset._variant_tensor)

    def window(self, size, shift=None, stride=1, drop_remainder=False):
        spec = map_structure(DatasetSpec, self._spec)
        size = int64(size, "size")
        shift = size if shift is None else int64(shift, "shift")
        return self._made("WindowDataset", spec, size=size, shift=shift, stride=int64(stride, "stride"),
                          drop_remainder=boolean(drop_remainder, "drop_remainder"))

    def enumerate(self, start=0):
        return Dataset.zip((Dataset.range(start, 2**63 - 1), self))

    def unbatch(self):
        spec = self._spec
        named = self.map(_named("normalize", lambda *element: element if len(element) > 1 or type(spec) is tuple else element[0]))
        return named._made("UnbatchDataset", map_structure(lambda s: s.unbatched(), spec))

    def reduce(self, initial_state, reduce_func):
        """A structure of tensors: reduce_func(state, element), element by element."""
        with name_scope("initial_state"):
            state = normalized(initial_state)
        spec = map_structure(spec_of, state)
        for _ in range(3):  # until the shapes of the state are those of the result
            body = Body(reduce_func, "reduce", self._spec, extra=(spec,))
            if [s.dtype for s in flatten(body.spec)] != [s.dtype for s in flatten(spec)]:
                raise TypeError("The element types for the new state must match the initial state. Expected %s; got %s." %
                                (spec, body.spec))
            weaker = pack_as(spec, [a.merged(b) for a, b in zip(flatten(spec), flatten(body.spec))])
            if weaker == spec:
                break
            spec = weaker
        parts = [s.to_flat(v) for s, v in zip(flatten(spec), flatten(state))]
        made = apply("ReduceDataset", None, input_dataset=self._variant_tensor, initial_state=parts,
                     other_arguments=body.captures, f=body.function, output_types=flat_types(spec),
                     output_shapes=flat_shapes(spec))
        return from_flat(spec, made)

    def apply(self, transformation_func):
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError("`transformation_func` must return a Dataset. Got %s." % (made,))
        return made

    def with_options(self, options):
        made = Dataset(self._variant_tensor, self._spec)
        made._options = self.options().merge(options)
        return made

    # --- Iterators ---

    def make_one_shot_iterator(self):
        from sluice._iterator import one_shot_iterator
        return one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name=None):
        from sluice._iterator import initializable_iterator
        return initializable_iterator(self, shared_name)


def _named(name, function):
    function.__name__ = name
    return function


def _is_true(tensor):
    value = constant_value(tensor)
    return value is not None and bool(value)


# --- Files ---

def _slices_of_files(names):
    spec = TensorSpec([], _dtypes.string)
    return Dataset(apply("TensorSliceDataset", None, components=[names], output_shapes=flat_shapes(spec), is_files=True), spec)


def _file_names(filenames):
    """A dataset of names, from a name, a list, a tensor or a dataset of names."""
    if isinstance(filenames, Dataset):
        if flat_types(filenames._spec) != [_dtypes.string]:
            raise TypeError("`filenames` must be a `tf.data.Dataset` of `tf.string` elements.")
        return filenames
    names = convert_to_tensor(filenames, dtype=_dtypes.string)
    return _slices_of_files(apply("Reshape", "flat_filenames", tensor=names, shape=[-1]))


class _FileDataset(Dataset):
    """The records of files, one file after the other, or of several files at once."""

    def __init__(self, filenames, read, num_parallel_reads):
        spec = TensorSpec([], _dtypes.string)
        names = _file_names(filenames)

        def read_one_file(name):
            return Dataset(read(name), spec)
        if num_parallel_reads is None:
            made = names.flat_map(read_one_file)
        elif num_parallel_reads == AUTOTUNE:
            made = names.interleave(read_one_file, num_parallel_calls=num_parallel_reads)
        else:
            from sluice._dataset_experimental import parallel_interleave
            made = names.apply(parallel_interleave(read_one_file, num_parallel_reads, sloppy=False))
        super().__init__(made._variant_tensor, spec)


@export("data.TextLineDataset")
class TextLineDataset(_FileDataset):
    """The lines of text files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None):
        super().__init__(filenames, lambda name: apply(
            "TextLineDataset", None, filenames=name, compression_type=text(compression_type, "compression_type"),
            buffer_size=int64(buffer_size or 256 * 1024, "buffer_size")), num_parallel_reads)


@export("data.TFRecordDataset")
class TFRecordDataset(_FileDataset):
    """The records of TFRecord files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None):
        super().__init__(filenames, lambda name: apply(
            "TFRecordDataset", None, filenames=name, compression_type=text(compression_type, "compression_type"),
            buffer_size=int64(256 * 1024 if buffer_size is None else buffer_size, "buffer_size")), num_parallel_reads)


@export("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(_FileDataset):
    """Records of a fixed number of bytes."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None,
                 num_parallel_reads=None):
        def read(name):
            size = int64(record_bytes, "record_bytes")
            header = int64(header_bytes or 0, "header_bytes")
            footer = int64(footer_bytes or 0, "footer_bytes")
            buffer = int64(buffer_size or 256 * 1024, "buffer_size")
            return apply("FixedLengthRecordDatasetV2", None, filenames=name, header_bytes=header, record_bytes=size,
                         footer_bytes=footer, buffer_size=buffer, compression_type=text(compression_type, "compression_type"))
        super().__init__(filenames, read, num_parallel_reads)


# --- Functions of datasets and iterators ---

@export("data.get_output_types")
def get_output_types(dataset_or_iterator):
    return dataset_or_iterator.output_types


@export("data.get_output_shapes")
def get_output_shapes(dataset_or_iterator):
    return dataset_or_iterator.output_shapes


@export("data.get_output_classes")
def get_output_classes(dataset_or_iterator):
    return dataset_or_iterator.output_classes


@export("data.make_one_shot_iterator")
def make_one_shot_iterator(dataset):
    return dataset.make_one_shot_iterator()


@export("data.make_initializable_iterator")
def make_initializable_iterator(dataset, shared_name=None):
    return dataset.make_initializable_iterator(shared_name)


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator):
    return dataset_or_iterator.element_spec
