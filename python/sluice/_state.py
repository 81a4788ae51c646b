"""Functions that change variables: tf.assign, tf.scatter_add and their kin."""
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._oplib import apply
from sluice._resource_variables import ResourceVariable
from sluice._variables import Variable


def _reference(ref):
    return ref._ref() if isinstance(ref, Variable) else ref


@export("assign")
def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    if isinstance(ref, ResourceVariable):
        return ref.assign(value, name=name)
    return apply("Assign", name, ref=_reference(ref), value=value,
                 validate_shape=True if validate_shape is None else validate_shape,
                 use_locking=True if use_locking is None else use_locking)


@export("assign_add")
def assign_add(ref, value, use_locking=None, name=None):
    if isinstance(ref, ResourceVariable):
        return ref.assign_add(value, name=name)
    return apply("AssignAdd", name, ref=_reference(ref), value=value, use_locking=bool(use_locking))


@export("assign_sub")
def assign_sub(ref, value, use_locking=None, name=None):
    if isinstance(ref, ResourceVariable):
        return ref.assign_sub(value, name=name)
    return apply("AssignSub", name, ref=_reference(ref), value=value, use_locking=bool(use_locking))


@export("count_up_to")
def count_up_to(ref, limit, name=None):
    """Adds 1, until |limit|; then OutOfRangeError."""
    if isinstance(ref, ResourceVariable):
        return apply("ResourceCountUpTo", name, resource=ref.handle, limit=limit, T=ref.dtype)
    return apply("CountUpTo", name, ref=_reference(ref), limit=limit)


@export("is_variable_initialized", "variables.is_variable_initialized")
def is_variable_initialized(ref, name=None):
    if isinstance(ref, ResourceVariable):
        return ref.is_initialized(name)
    return apply("IsVariableInitialized", name, ref=_reference(ref))


def _scatter(kind):
    locks = kind == "Update"  # as the ops have it

    def call(ref, indices, updates, use_locking=locks, name=None):
        if isinstance(ref, ResourceVariable):
            return ref._scatter(kind, indices, updates, name)
        return apply("Scatter" + kind, name, ref=_reference(ref), indices=indices, updates=updates, use_locking=use_locking)
    return call


def _scatter_nd(kind):
    def call(ref, indices, updates, use_locking=None, name=None):
        if isinstance(ref, ResourceVariable):
            updates = convert_to_tensor(updates, dtype=ref.dtype)
            op = apply("ResourceScatterNd" + kind, name, ref=ref.handle, indices=indices, updates=updates)
            return ref._changed(op, True)
        return apply("ScatterNd" + kind, name, ref=_reference(ref), indices=indices, updates=updates, use_locking=use_locking)
    return call


for _kind in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max"):
    export("scatter_" + _kind.lower())(_scatter(_kind))
for _kind in ("Update", "Add", "Sub"):
    export("scatter_nd_" + _kind.lower())(_scatter_nd(_kind))
