"""What is in a checkpoint: tf.train.NewCheckpointReader, list_variables, load_variable, init_from_checkpoint."""
import os

import sluice as tf
from sluice._api import export
from sluice._graph import Graph
from sluice._partitioned import PartitionedVariable
from sluice._resource_variables import ResourceVariable
from sluice._saver import checkpoint_exists, latest_checkpoint
from sluice._session import Session
from sluice._table_file import read_entries


@export("train.NewCheckpointReader", "pywrap_tensorflow.NewCheckpointReader")
class CheckpointReader:
    """The tensors of a checkpoint by name."""

    def __init__(self, filepattern):
        if not checkpoint_exists(filepattern):
            raise tf.errors.NotFoundError(None, None, "Unsuccessful TensorSliceReader constructor: Failed to find any "
                                          "matching files for %s" % filepattern)
        self._prefix, self._entries = filepattern, read_entries(filepattern + ".index")

    def get_variable_to_shape_map(self):
        return {name: list(shape) for name, (_, shape) in self._entries.items()}

    def get_variable_to_dtype_map(self):
        return {name: dtype for name, (dtype, _) in self._entries.items()}

    def has_tensor(self, name):
        return name in self._entries

    def get_tensor(self, name):
        if name not in self._entries:
            raise tf.errors.NotFoundError(None, None, "Key %s not found in checkpoint" % name)
        with Graph().as_default() as graph:
            value = tf.raw_ops.RestoreV2(prefix=self._prefix, tensor_names=[name], shape_and_slices=[""],
                                         dtypes=[self._entries[name][0]])[0]
            with Session(graph=graph) as session:
                return session.run(value)

    def debug_string(self):
        return "\n".join("%s (%s) %s" % (name, dtype.name, shape) for name, (dtype, shape) in sorted(self._entries.items()))


def _path(ckpt_dir_or_file):
    if os.path.isdir(ckpt_dir_or_file):
        found = latest_checkpoint(ckpt_dir_or_file)
        if found is None:
            raise ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory %s" % ckpt_dir_or_file)
        return found
    return ckpt_dir_or_file


@export("train.load_checkpoint", "contrib.framework.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file):
    return CheckpointReader(_path(ckpt_dir_or_file))


@export("train.list_variables", "contrib.framework.list_variables")
def list_variables(ckpt_dir_or_file):
    """[(name, shape)], by name"""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@export("train.load_variable", "contrib.framework.load_variable")
def load_variable(ckpt_dir_or_file, name):
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name[:-2] if name.endswith(":0") else name)


@export("train.init_from_checkpoint", "contrib.framework.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Makes the initialisers of variables restore values: {name or scope/ in the checkpoint: variable, name or scope/}."""
    path = _path(ckpt_dir_or_file)
    known = CheckpointReader(path).get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, dict) else assignment_map
    for saved, current in pairs:
        if isinstance(current, str) and current.endswith("/"):
            _init_scope(path, known, saved, current)
        else:
            _init_one(path, known, saved, _variable_of(current))


def _variable_of(current):
    if not isinstance(current, str):
        return current
    for v in tf.global_variables():
        if v.op.name == current or v.name == current:
            return v
    raise ValueError("Assignment map with variable name %s, which is not in the graph" % current)


def _init_scope(path, known, saved, scope):
    if not saved.endswith("/"):
        raise ValueError("Assignment map with scope only name %s should map to scope only %s. Should be 'scope/': "
                         "'other_scope/'." % (scope, saved))
    prefix, found = "" if scope == "/" else scope, False
    base = "" if saved == "/" else saved
    for v in tf.global_variables():
        info = v._get_save_slice_info()
        name = info.full_name if info is not None else v.op.name
        if name.startswith(prefix):
            wanted = base + name[len(prefix):]
            if wanted not in known:
                raise ValueError("Tensor %s (%s in %s) is not found in %s checkpoint" % (wanted, name, scope, path))
            _init_one(path, known, wanted, v)
            found = True
    if not found:
        raise ValueError("Assignment map with scope %s has no variables" % scope)


def _init_one(path, known, saved, variable):
    if saved not in known:
        raise ValueError("Tensor %s is not found in %s checkpoint %s" % (saved, path, known))
    if isinstance(variable, (list, PartitionedVariable)):
        for part in variable:
            _init_one(path, known, saved, part)
        return
    info = variable._get_save_slice_info()
    shape = list(info.full_shape) if info is not None else variable.shape.as_list()
    if shape != known[saved]:
        raise ValueError("Shape of variable %s (%s) doesn't match with shape of tensor %s (%s) from checkpoint reader." %
                         (variable.name, shape, saved, known[saved]))
    with tf.device(variable.device), tf.device("/cpu:0"):
        value = tf.raw_ops.RestoreV2(prefix=path, tensor_names=[saved], shape_and_slices=[info.spec if info else ""],
                                     dtypes=[variable.dtype.base_dtype], name="checkpoint_initializer")[0]
        value.set_shape(variable.shape)
        assigned = variable.assign(value, read_value=False) if isinstance(variable, ResourceVariable) else \
            variable.assign(value)
    variable._initializer_op = getattr(assigned, "op", assigned)
    variable._initial_value = value
