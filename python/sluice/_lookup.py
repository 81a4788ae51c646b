"""Lookup tables: tf.lookup and tf.contrib.lookup."""
import os
import uuid

from sluice import _array, _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import GraphKeys, add_to_collection, colocate_with, device, name_scope
from sluice._math import cast
from sluice._oplib import apply
from sluice._saveable import SaveableObject, SaveSpec
from sluice._sparse_tensor import SparseTensor
from sluice._static import constant_value


@export("lookup.TextFileIndex", "contrib.lookup.TextFileIndex")
class TextFileIndex:
    """Keys or values of a text file that are not columns."""
    WHOLE_LINE, LINE_NUMBER = -2, -1


# --- Initialisers ---

@export("lookup.KeyValueTensorInitializer", "contrib.lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer:
    """Keys and values that are tensors."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
        self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = "key_value_init" if name is None else name

    key_dtype = property(lambda self: self._keys.dtype.base_dtype)
    value_dtype = property(lambda self: self._values.dtype.base_dtype)
    _shared_name = property(lambda self: "hash_table_%s" % uuid.uuid4())

    def initialize(self, table):
        with name_scope(self._name, values=[table.resource_handle, self._keys, self._values]):
            return apply("LookupTableImportV2", None, table_handle=table.resource_handle, keys=self._keys,
                         values=self._values)


@export("lookup.TextFileInitializer", "contrib.lookup.TextFileInitializer")
class TextFileInitializer:
    """Keys and values of a text file: the whole line, its number, or a column."""

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None):
        if not isinstance(filename, (str, bytes, os.PathLike)) and not hasattr(filename, "op"):
            raise ValueError("Filename required for %s." % name)
        for what, dtype, index in ("key", as_dtype(key_dtype), key_index), ("value", as_dtype(value_dtype), value_index):
            if index < TextFileIndex.WHOLE_LINE:
                raise ValueError("Invalid %s index %s." % (what, index))
            if index == TextFileIndex.LINE_NUMBER and dtype != _dtypes.int64:
                raise TypeError("Signature mismatch. %s must be dtype %s, got %s." % (what + "s", "int64", dtype.name))
            if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != _dtypes.string:
                raise TypeError("Signature mismatch. %s must be integer or string, got %s." % (what + "s", dtype.name))
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError("Invalid vocab_size %s." % vocab_size)
        self._given, self._key_index, self._value_index = filename, key_index, value_index
        self._vocab_size, self._delimiter, self._name = vocab_size, delimiter, name
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        with device("CPU"):
            self._filename = convert_to_tensor(os.fspath(filename) if isinstance(filename, os.PathLike) else filename,
                                               dtype=_dtypes.string, name="asset_path")
        add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: self._value_dtype)

    @property
    def _shared_name(self):
        """Tables of one file are one table."""
        path = constant_value(self._filename)
        path = "" if path is None else path.item().decode()
        parts = ["hash_table", path] + ([str(self._vocab_size)] if self._vocab_size else []) + \
            [str(self._key_index), str(self._value_index)]
        return "_".join(parts)

    def initialize(self, table):
        with name_scope(self._name, "text_file_init", [table.resource_handle]):
            return apply("InitializeTableFromTextFileV2", None, table_handle=table.resource_handle, filename=self._filename,
                         key_index=self._key_index, value_index=self._value_index,
                         vocab_size=-1 if self._vocab_size is None else self._vocab_size, delimiter=self._delimiter)


# --- Tables ---

class _Table:
    """What all tables have. The initializer is an operation that tables_initializer() runs."""

    def __init__(self, handle, key_dtype, value_dtype, default_value):
        self.resource_handle, self._key_dtype, self._value_dtype = handle, key_dtype, value_dtype
        self._default_value = default_value

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: self._value_dtype)
    default_value = property(lambda self: self._default_value)
    name = property(lambda self: self.resource_handle.op.name.split("/")[-1])
    table_ref = property(lambda self: self.resource_handle)

    def _check_keys(self, keys):
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError("Signature mismatch. Keys must be dtype %s, got %s." % (self._key_dtype.name, keys.dtype.name))

    def lookup(self, keys, name=None):
        """The values of |keys|, the default for those that are not there."""
        values = keys.values if isinstance(keys, SparseTensor) else convert_to_tensor(keys, dtype=self._key_dtype, name="keys") \
            if not hasattr(keys, "op") else keys
        self._check_keys(values)
        with name_scope(name, "%s_Lookup" % self.name, [self.resource_handle, values, self._default_value]):
            found = apply("LookupTableFindV2", None, table_handle=self.resource_handle, keys=values,
                          default_value=self._default_value)
        found.set_shape(values.shape)
        return SparseTensor(keys.indices, found, keys.dense_shape) if isinstance(keys, SparseTensor) else found

    def size(self, name=None):
        with name_scope(name, "%s_Size" % self.name, [self.resource_handle]):
            return apply("LookupTableSizeV2", None, table_handle=self.resource_handle)

    def export(self, name=None):
        with name_scope(name, "%s_export_values" % self.name, [self.resource_handle]):
            return tuple(apply("LookupTableExportV2", None, table_handle=self.resource_handle, Tkeys=self._key_dtype,
                               Tvalues=self._value_dtype))


@export("lookup.StaticHashTable", "contrib.lookup.HashTable", "lookup.HashTable")
class StaticHashTable(_Table):
    """A table that is filled once."""

    def __init__(self, initializer, default_value, shared_name=None, name=None):
        self._initializer = initializer
        default = convert_to_tensor(default_value, dtype=initializer.value_dtype)
        default.shape.assert_is_compatible_with([])
        with name_scope(name, "hash_table") as scope:
            handle = apply("HashTableV2", scope, key_dtype=initializer.key_dtype, value_dtype=initializer.value_dtype,
                           shared_name=shared_name or initializer._shared_name)
        super().__init__(handle, initializer.key_dtype, initializer.value_dtype, default)
        self._init_op = initializer.initialize(self)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, self._init_op)

    initializer = property(lambda self: self._init_op)
    init = property(lambda self: self._init_op)


@export("lookup.StaticVocabularyTable")
class StaticVocabularyTable:
    """A table of numbers; keys that are not there get the number of one of |num_oov_buckets| more, by their hash."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable for no oov buckets.")
        self._buckets, self._table, self._name = num_oov_buckets, None, name or "hash_bucket"
        self._key_dtype = as_dtype(lookup_key_dtype or (initializer.key_dtype if initializer else _dtypes.string))
        if initializer is not None:
            if initializer.value_dtype != _dtypes.int64:
                raise TypeError("Invalid value dtype, expected %s but got %s." % ("int64", initializer.value_dtype.name))
            self._table = StaticHashTable(initializer, default_value=-1, name=name) if name else \
                StaticHashTable(initializer, default_value=-1)
            self._name = self._table.name

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: _dtypes.int64)
    name = property(lambda self: self._name)
    resource_handle = property(lambda self: self._table.resource_handle if self._table else None)
    init = initializer = property(lambda self: self._table.initializer if self._table else apply("NoOp", None))

    def size(self, name=None):
        with name_scope(name, "%s_Size" % self._name):
            known = self._table.size() if self._table else convert_to_tensor(0, dtype=_dtypes.int64)
            return known + self._buckets

    def lookup(self, keys, name=None):
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self.lookup(keys.values, name), keys.dense_shape)
        keys = convert_to_tensor(keys)
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError("Signature mismatch. Keys must be dtype %s, got %s." % (self._key_dtype.name, keys.dtype.name))
        values = keys
        if self._table and self._table.key_dtype != keys.dtype.base_dtype:
            values = cast(values, _dtypes.int64)
        with name_scope(name, "%s_Lookup" % self._name):
            text = values if values.dtype.base_dtype == _dtypes.string else apply("AsString", None, input=values)
            buckets = apply("StringToHashBucketFast", "hash_bucket", input=text, num_buckets=self._buckets)
            if self._table is None:
                return buckets
            found = self._table.lookup(values)
            other = apply("AddV2", "Add", x=buckets, y=self._table.size())
            known = apply("NotEqual", None, x=found, y=self._table.default_value)
            return apply("SelectV2", None, condition=known, t=found, e=other)


class _Mutable(_Table):
    """A table that operations change."""

    def _keep_in_checkpoints(self):
        """Lets savers that are made later save the table."""
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TableSaveable(self))

    def _named(self, what, name):
        return name_scope(name, "%s_lookup_table_%s" % (self.name, what), [self.resource_handle])

    def lookup(self, keys, dynamic_default_values=None, name=None):
        with self._named("find", name):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            with colocate_with(self.resource_handle):
                return apply("LookupTableFindV2", None, table_handle=self.resource_handle, keys=keys,
                             default_value=self._default_value if dynamic_default_values is None else dynamic_default_values)

    def insert(self, keys, values, name=None):
        with self._named("insert", name):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            values = convert_to_tensor(values, dtype=self._value_dtype, name="values")
            with colocate_with(self.resource_handle):
                return apply("LookupTableInsertV2", None, table_handle=self.resource_handle, keys=keys, values=values)

    def remove(self, keys, name=None):
        with self._named("remove", name):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            return apply("LookupTableRemoveV2", None, table_handle=self.resource_handle, keys=keys)

    erase = remove

    def size(self, name=None):
        with name_scope(name, "%s_Size" % self.name, [self.resource_handle]):
            with colocate_with(self.resource_handle):
                return apply("LookupTableSizeV2", None, table_handle=self.resource_handle)

    def export(self, name=None):
        with self._named("export_values", name):
            with colocate_with(self.resource_handle):
                return tuple(apply("LookupTableExportV2", None, table_handle=self.resource_handle, Tkeys=self._key_dtype,
                                   Tvalues=self._value_dtype))


class _TableSaveable(SaveableObject):
    """The keys and values of a table, as a saver keeps them."""

    def __init__(self, table):
        name = table.resource_handle.op.name
        keys, values = table.export()
        super().__init__(table, [SaveSpec(keys, "", name + "-keys"), SaveSpec(values, "", name + "-values")], name)

    def restore(self, restored_tensors, restored_shapes):
        handle = self.op.resource_handle
        with name_scope(None, "%s_table_restore" % self.name), colocate_with(handle):
            return apply("LookupTableImportV2", None, table_handle=handle, keys=restored_tensors[0],
                         values=restored_tensors[1])


@export("contrib.lookup.MutableHashTable", "lookup.experimental.MutableHashTable")
class MutableHashTable(_Mutable):
    def __init__(self, key_dtype, value_dtype, default_value, shared_name=None, name="MutableHashTable", checkpoint=True):
        default = convert_to_tensor(default_value, dtype=as_dtype(value_dtype))
        options = dict(key_dtype=as_dtype(key_dtype), value_dtype=as_dtype(value_dtype), shared_name=shared_name,
                       use_node_name_sharing=True)
        if default.shape.ndims == 0:
            handle = apply("MutableHashTableV2", name, **options)
        else:
            handle = apply("MutableHashTableOfTensorsV2", name, value_shape=default.shape, **options)
        super().__init__(handle, as_dtype(key_dtype), as_dtype(value_dtype), default)
        if checkpoint:
            self._keep_in_checkpoints()


@export("lookup.experimental.DenseHashTable", "contrib.lookup.MutableDenseHashTable")
class DenseHashTable(_Mutable):
    """A faster table; two keys must be given that are never used."""

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key=None, initial_num_buckets=None,
                 shared_name=None, name="MutableDenseHashTable", checkpoint=True):
        key_dtype, value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        default = convert_to_tensor(default_value, dtype=value_dtype, name="default_value")
        empty = convert_to_tensor(empty_key, dtype=key_dtype, name="empty_key")
        deleted = convert_to_tensor(deleted_key, dtype=key_dtype, name="deleted_key")
        handle = apply("MutableDenseHashTableV2", name, empty_key=empty, deleted_key=deleted, value_dtype=value_dtype,
                       value_shape=default.shape, shared_name=shared_name, use_node_name_sharing=True,
                       initial_num_buckets=initial_num_buckets)
        super().__init__(handle, key_dtype, value_dtype, default)
        if checkpoint:
            self._keep_in_checkpoints()


# --- tf.contrib.lookup ---

def _index_table(initializer, num_oov_buckets, default_value):
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets)
    return StaticHashTable(initializer, default_value)


@export("contrib.lookup.index_table_from_tensor")
def index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1, hasher_spec=None, dtype=_dtypes.string, name=None):
    """A table from the strings of |mapping| to their places."""
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(mapping, dtype=dtype)
        count = keys.shape.num_elements()
        values = convert_to_tensor(list(range(count)), dtype=_dtypes.int64) if count is not None else cast(
            _range(_array.shape_of(keys)[0]), _dtypes.int64)
        return _index_table(KeyValueTensorInitializer(keys, values, name="table_init"), num_oov_buckets, default_value)


def _range(limit):
    from sluice._range import range_of
    return range_of(limit)


@export("contrib.lookup.index_table_from_file")
def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=None,
                          key_dtype=_dtypes.string, name=None, key_column_index=TextFileIndex.WHOLE_LINE,
                          value_column_index=TextFileIndex.LINE_NUMBER, delimiter="\t"):
    """A table from the lines of a file to their numbers."""
    with name_scope(name, "string_to_index"):
        initializer = TextFileInitializer(vocabulary_file, key_dtype, key_column_index, _dtypes.int64, value_column_index,
                                          vocab_size=vocab_size, delimiter=delimiter, name="table_init")
        return _index_table(initializer, num_oov_buckets, default_value)


@export("contrib.lookup.index_to_string_table_from_tensor")
def index_to_string_table_from_tensor(mapping, default_value="UNK", name=None):
    with name_scope(name, "index_to_string"):
        values = convert_to_tensor(mapping, dtype=_dtypes.string)
        keys = convert_to_tensor(list(range(values.shape.num_elements())), dtype=_dtypes.int64)
        return StaticHashTable(KeyValueTensorInitializer(keys, values, name="table_init"), default_value)


@export("contrib.lookup.index_to_string_table_from_file")
def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value="UNK", name=None,
                                    key_column_index=TextFileIndex.LINE_NUMBER,
                                    value_column_index=TextFileIndex.WHOLE_LINE, delimiter="\t"):
    with name_scope(name, "index_to_string"):
        initializer = TextFileInitializer(vocabulary_file, _dtypes.int64, key_column_index, _dtypes.string,
                                          value_column_index, vocab_size=vocab_size, delimiter=delimiter, name="table_init")
        return StaticHashTable(initializer, default_value)


@export("initialize_all_tables")
def initialize_all_tables(name="init_all_tables"):
    from sluice import _api
    return _api.lookup("", "tables_initializer")(name)
