"""tf.data.Dataset.from_generator: elements that an iterator of the program gives.

Each iterator of the dataset has a number. Three functions of the program are called while the dataset is read: one makes an
iterator and returns its number, one gives the next element of an iterator, one forgets an iterator.
"""
import itertools
import threading

import numpy as np

from sluice import _dtypes
from sluice._convert import convert_to_tensor
from sluice._dataset import Body, Dataset
from sluice._dtypes import as_dtype, string
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._structure import flat_shapes, flat_types, flatten, flatten_up_to, map_structure, pack_as, spec_from, spec_of


class _Iterators:
    """The iterators that are in use, by number."""

    def __init__(self, generator, types, shapes):
        self._generator, self._types, self._shapes = generator, types, shapes
        self._numbers, self._open, self._lock = itertools.count(), {}, threading.Lock()

    def start(self, *args):
        iterator = iter(self._generator(*args))
        with self._lock:
            number = next(self._numbers)
            self._open[number] = iterator
        return np.int64(number)

    def following(self, number):
        with self._lock:
            iterator = self._open[int(number)]
        values = next(iterator)  # StopIteration ends the dataset
        try:
            leaves = flatten_up_to(self._types, values)
        except (TypeError, ValueError):
            raise TypeError("`generator` yielded an element that did not match the expected structure. The expected structure "
                            "was %s, but the yielded element was %s." % (self._types, values)) from None
        return [self._checked(*row) for row in zip(leaves, flatten(self._types), flatten(self._shapes))]

    @staticmethod
    def _checked(value, dtype, shape):
        try:
            array = np.array(value, dtype=object if dtype == string else dtype.as_numpy_dtype)
        except (TypeError, ValueError):
            raise TypeError("`generator` yielded an element that could not be converted to the expected type. The expected "
                            "type was %s, but the yielded element was %s." % (dtype.name, value)) from None
        if not shape.is_compatible_with(array.shape):
            raise ValueError("`generator` yielded an element of shape %s where an element of shape %s was expected." %
                             (array.shape, shape))
        return array

    def finish(self, number):
        with self._lock:
            self._open.pop(int(number), None)
        return np.int64(0)


def from_generator(generator, output_types, output_shapes, args):
    from sluice._py_func import py_func
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    types = map_structure(as_dtype, output_types)
    if output_shapes is None:
        shapes = map_structure(lambda _: TensorShape(None), types)
    else:
        shapes = pack_as(types, [TensorShape(s) for s in flatten_up_to(types, output_shapes)])
    iterators = _Iterators(generator, types, shapes)

    given = [convert_to_tensor(a, name="args_%d" % i) for i, a in enumerate(args or ())]

    def get_iterator_id_fn(unused):
        return py_func(iterators.start, given, _dtypes.int64)

    def generator_next_fn(number):
        values = py_func(iterators.following, [number], flatten(types))
        for value, shape in zip(values, flatten(shapes)):
            value.set_shape(shape)
        return pack_as(types, values)

    def finalize_fn(number):
        return py_func(iterators.finish, [number], _dtypes.int64)

    def flat_map_fn(dummy):
        label = "Dataset_from_generator"
        start = Body(get_iterator_id_fn, label, spec_of(dummy))
        following, finish = Body(generator_next_fn, label, start.spec), Body(finalize_fn, label, start.spec)
        spec = spec_from(types, shapes)
        return Dataset(apply("GeneratorDataset", None, init_func_other_args=[dummy] + start.captures,
                             next_func_other_args=following.captures, finalize_func_other_args=finish.captures,
                             init_func=start.function, next_func=following.function, finalize_func=finish.function,
                             output_types=flat_types(spec), output_shapes=flat_shapes(spec)), spec)
    return Dataset.from_tensors(0).flat_map(flat_map_fn)
