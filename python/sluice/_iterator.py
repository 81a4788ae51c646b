"""Iterators over datasets: tf.data.Iterator."""
from sluice import _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._function import copy_of, unique
from sluice._graph import colocate_with, get_default_graph, name_scope
from sluice._oplib import apply
from sluice._saveable import SaveableObject, SaveSpec
from sluice._structure import flat_shapes, flat_types, flatten, from_flat, map_structure, spec_from

_WARNED_AT = 32
GLOBAL_ITERATORS = "iterators"  # the collection of the iterators of a graph
_POLICIES = {"warn": 0, "ignore": 1, "fail": 2}  # what to do about state outside of the dataset


@export("data.Iterator")
class Iterator:
    """A place in a dataset. Each run of what get_next() returns takes one element."""

    def __init__(self, iterator_resource, initializer, output_types, output_shapes, output_classes):
        self._start(iterator_resource, initializer, spec_from(output_types, output_shapes, output_classes))

    @classmethod
    def _of(cls, resource, initializer, spec):
        made = cls.__new__(cls)
        made._start(resource, initializer, spec)
        return made

    def _start(self, resource, initializer, spec):
        self._iterator_resource, self._initializer, self._spec = resource, initializer, spec
        self._string_handle = apply("IteratorToStringHandle", None, resource_handle=resource)
        self._calls = 0
        get_default_graph().add_to_collection(GLOBAL_ITERATORS, resource)

    element_spec = property(lambda self: self._spec)
    output_types = property(lambda self: map_structure(lambda s: s.dtype, self._spec))
    output_shapes = property(lambda self: map_structure(lambda s: s.shape, self._spec))
    output_classes = property(lambda self: map_structure(lambda s: s.value_class, self._spec))

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """An iterator without a dataset: make_initializer() gives it one."""
        spec = spec_from(output_types, output_shapes, output_classes)
        resource = apply("IteratorV2", None, shared_name=shared_name or "", container="", output_types=flat_types(spec),
                         output_shapes=flat_shapes(spec))
        return Iterator._of(resource, None, spec)

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """The iterator that |string_handle|, the value of another one's string_handle(), stands for."""
        spec = spec_from(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtype=_dtypes.string)
        resource = apply("IteratorFromStringHandleV2", None, string_handle=handle, output_types=flat_types(spec),
                         output_shapes=flat_shapes(spec))
        return Iterator._of(resource, None, spec)

    @property
    def initializer(self):
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset, name=None):
        """An operation that begins |dataset|."""
        with name_scope(name, "make_initializer") as scope:
            for own, other in zip(flatten(self._spec), flatten(dataset.element_spec)):
                if own.dtype != other.dtype:
                    raise TypeError("Expected output types %s but got dataset with output types %s." %
                                    (self.output_types, dataset.output_types))
                if not own.shape.is_compatible_with(other.shape):
                    raise TypeError("Expected output shapes compatible with %s but got dataset with output shapes %s." %
                                    (self.output_shapes, dataset.output_shapes))
            with colocate_with(self._iterator_resource):
                return apply("MakeIterator", scope, dataset=dataset._variant_tensor, iterator=self._iterator_resource)

    def get_next(self, name=None):
        """The next element; OutOfRangeError at the end."""
        self._calls += 1
        if self._calls == _WARNED_AT + 1:
            from sluice._logging import warning
            warning("An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that "
                    "`Iterator.get_next()` is being called inside a training loop. Call it once, outside the loop.")
        with colocate_with(self._iterator_resource):
            parts = apply("IteratorGetNext", name, iterator=self._iterator_resource, output_types=flat_types(self._spec),
                          output_shapes=flat_shapes(self._spec))
            return from_flat(self._spec, parts)

    def string_handle(self, name=None):
        if name is None:
            return self._string_handle
        return apply("IteratorToStringHandle", name, resource_handle=self._iterator_resource)


def one_shot_iterator(dataset):
    """An iterator that needs no initializer: the dataset is a function of its own, so it may use no variables."""
    spec, tensor = dataset.element_spec, dataset._variant_tensor
    try:
        factory = copy_of(tensor, unique("_make_dataset"), "Factory function for a dataset.")
    except ValueError as error:
        raise ValueError("%s A dataset that uses placeholders, variables or tables needs "
                         "tf.data.make_initializable_iterator(), whose initializer must be run." % error) from None
    with colocate_with(tensor):
        resource = apply("OneShotIterator", None, dataset_factory=factory, output_types=flat_types(spec),
                         output_shapes=flat_shapes(spec))
        return Iterator._of(resource, None, spec)


def initializable_iterator(dataset, shared_name=None):
    spec, tensor = dataset.element_spec, dataset._variant_tensor
    if tensor.graph is not get_default_graph():
        raise ValueError("The dataset was made in a different graph.")
    with colocate_with(tensor):
        resource = apply("IteratorV2", None, shared_name=shared_name or "", container="", output_types=flat_types(spec),
                         output_shapes=flat_shapes(spec))
        initializer = apply("MakeIterator", None, dataset=tensor, iterator=resource)
        return Iterator._of(resource, initializer, spec)


# --- Positions in checkpoints ---

class IteratorSaveable(SaveableObject):
    """The position of an iterator, as a saver keeps it."""

    def __init__(self, resource, external_state_policy=None):
        policy = "fail" if external_state_policy is None else external_state_policy
        if policy not in _POLICIES:
            raise ValueError("Invalid `ExternalStatePolicy.%s`. Supported values are 'warn', 'ignore' and 'fail'." % policy)
        state = apply("SerializeIterator", None, resource_handle=resource, external_state_policy=_POLICIES[policy])
        super().__init__(resource, [SaveSpec(state, "", resource.name + "_STATE", device=resource.device)], resource.name)

    def restore(self, restored_tensors, restored_shapes):
        with colocate_with(self.op):
            return apply("DeserializeIterator", None, resource_handle=self.op, serialized=restored_tensors[0])


@export("data.experimental.make_saveable_from_iterator")
def make_saveable_from_iterator(iterator, external_state_policy=None):
    """An object for a saver that keeps where |iterator| is: add it to GraphKeys.SAVEABLE_OBJECTS, or give it to the saver.
    |external_state_policy|: whether state outside of the dataset, such as of a Python function, is an error."""
    return IteratorSaveable(iterator._iterator_resource, external_state_policy)


# --- Optional values ---

@export("data.experimental.Optional")
class Optional:
    """A value that may be absent."""

    def __init__(self, variant, value_spec):
        self._optional_variant, self._value_spec = variant, value_spec

    value_structure = property(lambda self: self._value_spec)

    def has_value(self, name=None):
        with colocate_with(self._optional_variant):
            return apply("OptionalHasValue", name, optional=self._optional_variant)

    def get_value(self, name=None):
        with name_scope(name, "OptionalGetValue", [self._optional_variant]) as scope, colocate_with(self._optional_variant):
            parts = apply("OptionalGetValue", scope, optional=self._optional_variant,
                          output_types=flat_types(self._value_spec), output_shapes=flat_shapes(self._value_spec))
            return from_flat(self._value_spec, parts)

    @staticmethod
    def from_value(value):
        from sluice._structure import spec_of
        with name_scope("optional") as scope:
            with name_scope("value"):
                spec = map_structure(spec_of, value)
                parts = [s.to_flat(v) for s, v in zip(flatten(spec), flatten(value))]
            return Optional(apply("OptionalFromValue", scope, components=parts), spec)

    @staticmethod
    def none_from_structure(value_structure):
        return Optional(apply("OptionalNone", None), value_structure)


@export("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator):
    """The next element, or none at the end of the dataset."""
    with colocate_with(iterator._iterator_resource):
        return Optional(apply("IteratorGetNextAsOptional", None, iterator=iterator._iterator_resource,
                              output_types=flat_types(iterator.element_spec),
                              output_shapes=flat_shapes(iterator.element_spec)), iterator.element_spec)


