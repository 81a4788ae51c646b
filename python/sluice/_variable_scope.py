"""tf.get_variable and tf.variable_scope: variables by name, made once and shared."""
import contextlib
import enum

from sluice import _dtypes, _initializers
from sluice._api import export, export_value
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import GraphKeys, Tensor, colocate_with, get_default_graph, name_scope
from sluice._partitioned import make_parts
from sluice._shape import TensorShape
from sluice._variables import Variable


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = export_value(_ReuseMode.AUTO_REUSE, "AUTO_REUSE")
_INHERITED = ("initializer", "regularizer", "caching_device", "custom_getter", "constraint")


class _Store:
    """The variables of a graph by name, the scope in which the program is, and how often scopes were opened."""

    def __init__(self):
        self.variables, self.partitioned, self.scope, self.counts = {}, {}, VariableScope(False), {}

    @classmethod
    def of(cls, graph):
        found = graph.__dict__.get("_variable_store")
        if found is None:
            found = graph._variable_store = cls()
        return found

    def close_inner(self, name):
        for key in self.counts:
            if not name or key.startswith(name + "/"):
                self.counts[key] = 0


@export("VariableScope")
class VariableScope:
    """The defaults of get_variable within a scope."""

    def __init__(self, reuse, name="", initializer=None, regularizer=None, caching_device=None, partitioner=None,
                 custom_getter=None, name_scope="", dtype=_dtypes.float32, use_resource=None, constraint=None):
        self._partitioner = partitioner
        self._name, self._initializer, self._regularizer, self._reuse = name, initializer, regularizer, reuse
        self._caching_device, self._custom_getter, self._name_scope = caching_device, custom_getter, name_scope
        self._dtype, self._constraint, self._use_resource = dtype, constraint, use_resource

    name = property(lambda self: self._name)
    original_name_scope = property(lambda self: self._name_scope)
    reuse = property(lambda self: self._reuse)
    initializer = property(lambda self: self._initializer)
    regularizer = property(lambda self: self._regularizer)
    caching_device = property(lambda self: self._caching_device)
    custom_getter = property(lambda self: self._custom_getter)
    constraint = property(lambda self: self._constraint)
    dtype = property(lambda self: self._dtype)
    partitioner = property(lambda self: self._partitioner)
    use_resource = property(lambda self: self._use_resource)

    def reuse_variables(self):
        self._reuse = True

    def set_initializer(self, initializer):
        self._initializer = initializer

    def set_regularizer(self, regularizer):
        self._regularizer = regularizer

    def set_custom_getter(self, custom_getter):
        self._custom_getter = custom_getter

    def set_partitioner(self, partitioner):
        self._partitioner = partitioner

    def set_caching_device(self, caching_device):
        self._caching_device = caching_device

    def set_use_resource(self, use_resource):
        self._use_resource = use_resource

    def set_dtype(self, dtype):
        self._dtype = dtype

    def get_collection(self, name):
        return get_default_graph().get_collection(name, self._name + "/" if self._name else None)

    def global_variables(self):
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self):
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self):
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def _copy(self, **changes):
        made = VariableScope(self._reuse)
        made.__dict__.update(self.__dict__)
        made.__dict__.update({"_" + key: value for key, value in changes.items()})
        return made

    def get_variable(self, name, shape=None, dtype=None, initializer=None, regularizer=None, reuse=None, trainable=None,
                     collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None,
                     custom_getter=None, constraint=None, synchronization=None, aggregation=None):
        """The variable of this name in this scope: a new one, or with reuse the one that is there."""
        full = self._name + "/" + name if self._name else name
        arguments = dict(
            name=full, shape=shape, dtype=as_dtype(dtype or getattr(initializer, "dtype", None)
                                                   if isinstance(initializer, Tensor) else dtype or self._dtype),
            initializer=self._initializer if initializer is None else initializer,
            regularizer=self._regularizer if regularizer is None else regularizer,
            reuse=self._reuse if reuse is None else reuse, trainable=trainable, collections=collections,
            caching_device=self._caching_device if caching_device is None else caching_device,
            partitioner=self._partitioner if partitioner is None else partitioner, validate_shape=validate_shape,
            use_resource=self._use_resource if use_resource is None else use_resource,
            constraint=self._constraint if constraint is None else constraint)
        getter = _make
        outer = custom_getter or self._custom_getter
        if outer is not None:
            getter = (lambda inner: lambda **kwargs: outer(inner, **kwargs))(_make)
            if custom_getter is not None and self._custom_getter is not None:
                scope_getter = self._custom_getter
                getter = lambda **kwargs: custom_getter(  # noqa: E731
                    lambda **inner: scope_getter(_make, **inner), **kwargs)
        with name_scope(None):  # the name of a variable depends on variable scopes only
            return getter(**arguments)


def _make(name, shape=None, dtype=_dtypes.float32, initializer=None, regularizer=None, reuse=None, trainable=None,
          collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None, constraint=None,
          **unused):
    store = _Store.of(get_default_graph())
    wanted, dtype = None if shape is None else TensorShape(shape), as_dtype(dtype)
    if partitioner is not None:
        if wanted is None and initializer is not None and not callable(initializer):
            initializer = convert_to_tensor(initializer)
            wanted = initializer.shape
        if wanted is not None and wanted.ndims:
            return _make_partitioned(store, name, wanted, dtype, initializer, partitioner, dict(
                regularizer=regularizer, reuse=reuse, trainable=trainable, collections=collections,
                caching_device=caching_device, validate_shape=validate_shape, use_resource=use_resource,
                constraint=constraint))
    found = store.variables.get(name)
    if found is not None:
        return _reused(found, name, wanted, dtype, reuse)
    if reuse is True:
        raise ValueError("Variable %s does not exist, or was not created with tf.get_variable(). Did you mean to set "
                         "reuse=tf.AUTO_REUSE in VarScope?" % name)
    if initializer is None:
        if wanted is None or not wanted.is_fully_defined():
            raise ValueError("Shape of a new variable (%s) must be fully defined, but instead was %s." % (name, wanted))
        initializer = _initializers.GlorotUniform() if dtype.is_floating else _initializers.Zeros()
        if not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
            raise ValueError("An initializer for variable %s of %s is required" % (name, dtype.base_dtype))
    if callable(initializer):
        if isinstance(initializer, type):
            initializer = initializer()
        if wanted is not None and not wanted.is_fully_defined():
            raise ValueError("Shape of a new variable (%s) must be fully defined, but instead was %s." % (name, wanted))
        sizes = None if wanted is None else wanted.as_list()
        first = (lambda: initializer(sizes, dtype=dtype.base_dtype)) if sizes is not None else initializer
    else:
        if wanted is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        first = initializer
    made = Variable(first, name=name, trainable=trainable, collections=collections, caching_device=caching_device,
                    dtype=dtype if callable(first) or isinstance(first, Tensor) else None, validate_shape=validate_shape,
                    constraint=constraint, use_resource=use_resource)
    store.variables[name] = made
    if regularizer is not None:
        with colocate_with(made), name_scope(name + "/Regularizer/"):
            loss = regularizer(made)
        if loss is not None:
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return made


def _make_partitioned(store, name, shape, dtype, initializer, partitioner, arguments):
    if name in store.variables:
        raise ValueError("A partitioner was provided, but an unpartitioned version of the variable was found: %s.  Perhaps a "
                         "variable of the same name was already created without partitioning?" % name)
    found, reuse = store.partitioned.get(name), arguments["reuse"]
    if found is not None:
        if reuse is False or reuse is None:
            raise ValueError("Partitioned variable with name %s already exists. Did you mean to set reuse=True or "
                             "reuse=tf.AUTO_REUSE in VarScope?" % name)
        if not shape.is_compatible_with(found.shape):
            raise ValueError("Trying to reuse partitioned variable %s, but specified shape %s and found shape %s." %
                             (name, shape, found.shape))
        return found
    if reuse is True:
        raise ValueError("PartitionedVariable %s does not exist, or was not created with tf.get_variable(). Did you mean to "
                         "set reuse=False or reuse=tf.AUTO_REUSE in VarScope?" % name)
    if initializer is None:
        initializer = _initializers.GlorotUniform() if dtype.is_floating else _initializers.Zeros()
    elif isinstance(initializer, type):
        initializer = initializer()
    partitions = partitioner(shape=shape, dtype=dtype)
    made = make_parts(_make, name, shape, dtype, list(partitions), initializer, arguments)
    store.partitioned[name] = made
    return made


def _reused(found, name, shape, dtype, reuse):
    if reuse is False or reuse is None:
        where = "\n".join('  File "%s", line %d, in %s' % frame for frame in found.op.traceback)
        raise ValueError("Variable %s already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                         "VarScope? Originally defined at:\n\n%s\n" % (name, where))
    if shape is not None and not shape.is_compatible_with(found.shape):
        raise ValueError("Trying to share variable %s, but specified shape %s and found shape %s." %
                         (name, shape, found.shape))
    if not dtype.is_compatible_with(found.dtype):
        raise ValueError("Trying to share variable %s, but specified dtype %s and found dtype %s." %
                         (name, dtype.name, found.dtype.base_dtype.name))
    return found


@export("get_variable_scope")
def get_variable_scope():
    return _Store.of(get_default_graph()).scope


@export("get_variable")
def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                 constraint=None, synchronization=None, aggregation=None):
    return get_variable_scope().get_variable(
        name, shape, dtype, initializer, regularizer, None, trainable, collections, caching_device, partitioner,
        validate_shape, use_resource, custom_getter, constraint)


@export("get_local_variable")
def get_local_variable(name, *args, **kwargs):
    collections = list(kwargs.pop("collections", None) or [])
    if GraphKeys.LOCAL_VARIABLES not in collections:
        collections.append(GraphKeys.LOCAL_VARIABLES)
    return get_variable(name, *args, **dict(kwargs, collections=collections, trainable=False))


@export("variable_scope")
class variable_scope:
    """A context manager: variables and operations inside have the scope's name."""

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None, regularizer=None,
                 caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None,
                 constraint=None, auxiliary_name_scope=True):
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        self._given, self._default_name, self._values = name_or_scope, default_name, values or []
        self._changes = {key: value for key, value in dict(
            initializer=initializer, regularizer=regularizer, caching_device=caching_device, custom_getter=custom_getter,
            partitioner=partitioner, dtype=dtype, use_resource=use_resource, constraint=constraint).items() if value is not None}
        self._reuse, self._names = reuse, auxiliary_name_scope

    def __enter__(self):
        store = self._store = _Store.of(get_default_graph())
        outer, given = store.scope, self._given
        self._outer, self._counts = outer, None
        if isinstance(given, VariableScope):
            new, label = given, given.name.split("/")[-1]
            self._counts = dict(store.counts)
            full = given.name
        else:
            label = given if given is not None else self._unique(store, outer)
            full = outer.name + "/" + label if outer.name else label
            new = outer
        self._stack = contextlib.ExitStack()
        scope_name = new.original_name_scope
        if self._names and label:
            scope_name = self._stack.enter_context(name_scope(label, values=self._values))
            if isinstance(given, VariableScope):
                scope_name = given.original_name_scope
        elif not isinstance(given, VariableScope):
            scope_name = get_default_graph().get_name_scope() + "/"
        reuse = self._reuse if self._reuse is not None else new.reuse
        if not isinstance(given, VariableScope):
            reuse = reuse or outer.reuse
        changes = dict(self._changes)
        inner = changes.get("custom_getter")
        if inner is not None and new.custom_getter is not None:
            before = new.custom_getter
            changes["custom_getter"] = lambda getter, *args, **kwargs: inner(
                lambda *a, **k: before(getter, *a, **k), *args, **kwargs)
        store.scope = new._copy(name=full, name_scope=scope_name, reuse=reuse, **changes)
        store.counts[full] = store.counts.get(full, 0) + 1
        self._full = full
        return store.scope

    def _unique(self, store, outer):
        prefix = outer.name + "/" if outer.name else ""
        if not store.counts.get(prefix + self._default_name):
            return self._default_name
        index = 1
        while store.counts.get("%s%s_%d" % (prefix, self._default_name, index)):
            index += 1
        return "%s_%d" % (self._default_name, index)

    def __exit__(self, *exception):
        self._stack.__exit__(*exception)
        self._store.close_inner(self._full)
        if self._counts is not None:
            self._store.counts = self._counts
        self._store.scope = self._outer


@export("no_regularizer")
def no_regularizer(_):
    """A regulariser that prevents the one of the scope."""
    return None


@export("variable_op_scope")
def variable_op_scope(values, name_or_scope, default_name=None, **kwargs):
    return variable_scope(name_or_scope, default_name=default_name, values=values, **kwargs)
