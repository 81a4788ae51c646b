"""Checkpoints: tf.train.Saver, tf.train.latest_checkpoint and the file named checkpoint."""
import collections
import glob
import os
import time

from sluice._api import export, export_value
from sluice._convert import convert_to_tensor
from sluice._device import DeviceSpec
from sluice._graph import GraphKeys, colocate_with, control_dependencies, device, get_default_graph, name_scope
from sluice._message import message
from sluice._oplib import apply
from sluice._partitioned import PartitionedVariable
from sluice._resource_variables import ResourceVariable
from sluice._saveable import SaveableObject
from sluice._text import parse
from sluice._variables import Variable, group

export_value(message("CheckpointState"), "train.CheckpointState")
export_value(message("SaverDef"), "train.SaverDef")


def _after(dependencies, tensor):
    """|tensor| when |dependencies| have run."""
    with name_scope(None, "control_dependency", [tensor]) as scope:
        with colocate_with(tensor), control_dependencies(dependencies):
            return apply("Identity", scope, input=tensor)


def _cpu_of(name):
    """The CPU of the task of device |name|."""
    spec = DeviceSpec.from_string(name)
    return DeviceSpec(spec.job, spec.replica, spec.task, "CPU", 0).to_string()


class _Builder:
    """Adds the nodes that save and restore {name in the file: variable}."""

    def __init__(self, variables, reshape, sequential):
        self._variables = [(name, v) for name, found in sorted(variables.items())
                           for v in (found if isinstance(found, list) else [found])]
        self._reshape, self._sequential = reshape, sequential

    def save_nodes(self, prefix, items):
        names, slices, tensors = [], [], []
        for name, item in items:
            for saved_name, spec, tensor, _ in _parts(name, item):
                names.append(saved_name)
                slices.append(spec)
                tensors.append(tensor())
        return apply("SaveV2", None, prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=tensors)

    def restore_nodes(self, prefix, items):
        parts = [part for name, item in items for part in _parts(name, item)]
        with device("cpu:0"):
            values = list(apply("RestoreV2", None, prefix=prefix, tensor_names=[name for name, _, _, _ in parts],
                                shape_and_slices=[spec for _, spec, _, _ in parts], dtypes=[t for _, _, _, t in parts]))
        assigned = []
        for _, item in items:
            with control_dependencies(assigned[-1:] if self._sequential else []):
                if isinstance(item, SaveableObject):
                    own, values = values[:len(item.specs)], values[len(item.specs):]
                    assigned.append(item.restore(own, None))
                else:
                    assigned.append(self._assign(item, values.pop(0)))
        return assigned

    def _assign(self, variable, value):
        shape = variable.shape
        if self._reshape:
            value = apply("Reshape", None, tensor=value, shape=shape.as_list())
        if isinstance(variable, ResourceVariable):
            with device(variable.device):
                value = apply("Identity", None, input=value)
                return apply("AssignVariableOp", None, resource=variable.handle, value=value)
        return apply("Assign", None, ref=variable._ref(), value=value, validate_shape=shape.is_fully_defined())

    def one(self, prefix):
        saved = _after([self.save_nodes(prefix, self._variables)], prefix)
        return saved, group(*self.restore_nodes(prefix, self._variables), name="restore_all")

    def sharded(self, prefix):
        """A shard for each device; the last one's task merges them."""
        with device("CPU"):
            is_s3 = apply("StaticRegexFullMatch", None, input=prefix, pattern="^s3://.*")
            parts = [convert_to_tensor(text) for text in (".part", "_temp/part")]
            suffix = apply("Select", None, condition=is_s3, t=parts[0], e=parts[1])
            temporary = apply("StringJoin", None, inputs=[prefix, suffix])
        by_device = collections.defaultdict(list)
        for name, variable in self._variables:
            by_device[variable.device].append((name, variable))
        shards = sorted(by_device.items())
        count = convert_to_tensor(len(shards), name="num_shards")
        saved = []
        names = []
        for i, (where, items) in enumerate(shards):
            with device(_cpu_of(where)):
                name = apply("ShardedFilename", None, basename=temporary, shard=i, num_shards=count)
                names.append(name)
                saved.append(_after([self.save_nodes(name, items)], name))
        with device(_cpu_of(shards[-1][0])), control_dependencies([s.op for s in saved]):
            merged = apply("MergeV2Checkpoints", None, checkpoint_prefixes=names, destination_prefix=prefix,
                           delete_old_dirs=True)
            with control_dependencies([merged]):
                result = apply("Identity", None, input=prefix)
        restored = []
        for where, items in shards:
            with device(where):
                restored.append(group(*self.restore_nodes(prefix, items), name="restore_shard"))
        return result, group(*restored, name="restore_all")


def _parts(name, item):
    """[(name in the file, slice, function that returns the tensor, type)] of a variable or saveable object."""
    if isinstance(item, SaveableObject):
        return [(spec.name, spec.slice_spec, lambda spec=spec: spec.tensor, spec.dtype) for spec in item.specs]
    return [(name, _slice(item), lambda: _saved_tensor(item), item.dtype.base_dtype)]


def _inputs(item):
    return [spec.tensor for spec in item.specs] if isinstance(item, SaveableObject) else [item._ref()]


def _saved_tensor(variable):
    """What SaveV2 reads of |variable|."""
    if isinstance(variable, ResourceVariable):
        return variable._as_graph_element()
    return variable.value() if variable._get_save_slice_info() is not None else variable._ref()


def _slice(variable):
    info = variable._get_save_slice_info()
    return "" if info is None else info.spec


def _by_name(var_list):
    """{name in the file: a variable, or the parts of one}"""
    found = {}
    if isinstance(var_list, dict):
        for name, v in var_list.items():
            found[name] = list(v) if isinstance(v, (PartitionedVariable, list)) else v
    else:
        for item in var_list:
            for v in item if isinstance(item, PartitionedVariable) else [item]:
                if isinstance(v, SaveableObject):
                    found[v.name] = v
                    continue
                if not isinstance(v, Variable):
                    raise TypeError("Variable to save is not a Variable: %s" % (v,))
                info = v._get_save_slice_info()
                if info is not None:
                    parts = found.setdefault(info.full_name, [])
                    if v not in parts:
                        parts.append(v)
                    continue
                if v.op.name in found:
                    raise ValueError("At least two variables have the same name: %s" % v.op.name)
                found[v.op.name] = v
    for name, v in found.items():
        if not all(isinstance(part, (Variable, SaveableObject)) for part in (v if isinstance(v, list) else [v])):
            raise TypeError("Variable to save is not a Variable: %s" % (v,))
    return found


@export("train.Saver")
class Saver:
    """Saves and restores variables; keeps the newest |max_to_keep| checkpoints."""

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0,
                 name=None, restore_sequentially=False, saver_def=None, builder=None, defer_build=False, allow_empty=False,
                 write_version=2, pad_step_number=False, save_relative_paths=False, filename=None):
        self._var_list, self._reshape, self._sharded, self._name = var_list, reshape, sharded, name
        self._sequential, self._allow_empty, self._pad = restore_sequentially, allow_empty, pad_step_number
        self._relative, self._filename = save_relative_paths, filename
        self._max_to_keep, self._keep_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._checkpoints, self._next_kept = [], time.time() + keep_checkpoint_every_n_hours * 3600
        self.saver_def, self._empty = saver_def, False
        if saver_def is None and not defer_build:
            self.build()

    def build(self):
        if self.saver_def is not None:
            return
        variables = self._var_list
        if variables is None:
            graph = get_default_graph()
            variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES) + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
        if not variables:
            if not self._allow_empty:
                raise ValueError("No variables to save")
            self._empty = True
            return
        variables = _by_name(variables)
        builder = _Builder(variables, self._reshape, self._sequential)
        with name_scope(self._name, "save", [t for _, item in builder._variables for t in _inputs(item)]):
            given = apply("PlaceholderWithDefault", "filename", input=self._filename or "model", shape=())
            prefix = apply("PlaceholderWithDefault", "Const", input=given, shape=())
            saved, restored = builder.sharded(prefix) if self._sharded else builder.one(prefix)
        self.saver_def = message("SaverDef")(
            filename_tensor_name=prefix.name, save_tensor_name=saved.name, restore_op_name=restored.name,
            max_to_keep=self._max_to_keep or 0, sharded=self._sharded,
            keep_checkpoint_every_n_hours=self._keep_hours, version=2)

    def as_saver_def(self):
        return self.saver_def

    # --- Files ---

    @property
    def last_checkpoints(self):
        return [path for path, _ in self._checkpoints]

    def set_last_checkpoints_with_time(self, pairs):
        self._checkpoints = list(pairs)

    def set_last_checkpoints(self, paths):
        self._checkpoints = [(path, float("inf")) for path in paths]

    def recover_last_checkpoints(self, checkpoint_paths):
        self._checkpoints = [(path, os.path.getmtime(path + ".index")) for path in checkpoint_paths
                             if checkpoint_exists(path)]

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta", write_meta_graph=True,
             write_state=True, strip_default_attrs=False, save_debug_info=False):
        """Writes a checkpoint; returns its path."""
        if self.saver_def is None and not self._empty:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        path = save_path
        if global_step is not None:
            if not isinstance(global_step, int):
                global_step = int(sess.run(global_step)) if hasattr(global_step, "op") else int(global_step)
            path = "%s-%s" % (save_path, "%08d" % global_step if self._pad else global_step)
        if os.path.basename(save_path) == (latest_filename or "checkpoint"):
            raise ValueError("'latest_filename' collides with 'save_path': '%s' and '%s'" % (latest_filename, save_path))
        if not self._empty:
            path = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: path})
            path = path.decode() if isinstance(path, bytes) else str(path)
            if write_state:
                self._remember(path, meta_graph_suffix)
                update_checkpoint_state(os.path.dirname(save_path), path, self.last_checkpoints, latest_filename,
                                        [t for _, t in self._checkpoints], relative=self._relative)
        if write_meta_graph:
            with sess.graph.as_default():
                self.export_meta_graph(path + "." + meta_graph_suffix)
        return None if self._empty else path

    def _remember(self, path, suffix):
        self._checkpoints = [pair for pair in self._checkpoints if pair[0] != path] + [(path, time.time())]
        while self._max_to_keep and len(self._checkpoints) > self._max_to_keep:
            old, made = self._checkpoints.pop(0)
            if made > self._next_kept:
                self._next_kept += self._keep_hours * 3600
                continue
            remove_checkpoint(old, suffix)

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False, **unused):
        from sluice._meta_graph import export_meta_graph
        return export_meta_graph(filename, saver_def=self.saver_def, collection_list=collection_list, as_text=as_text)

    def restore(self, sess, save_path):
        if self._empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not checkpoint_exists(save_path):
            raise ValueError("The passed save_path is not a valid checkpoint: %s" % save_path)
        sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: save_path})


@export("train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix):
    return bool(glob.glob(glob.escape(str(checkpoint_prefix)) + ".index")) or os.path.isfile(checkpoint_prefix)


@export("train.remove_checkpoint")
def remove_checkpoint(checkpoint_prefix, meta_graph_suffix="meta", **unused):
    for path in glob.glob(glob.escape(checkpoint_prefix) + ".data-?????-of-?????") + \
            [checkpoint_prefix + ".index", checkpoint_prefix + "." + meta_graph_suffix]:
        if os.path.exists(path):
            os.remove(path)


def _path(directory, given, relative):
    if relative and os.path.isabs(given):
        return os.path.relpath(given, directory)
    if not os.path.isabs(given) and not os.path.isabs(directory):
        return os.path.relpath(given, directory)
    return given


@export("train.update_checkpoint_state")
def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None, latest_filename=None,
                            all_model_checkpoint_timestamps=None, last_preserved_timestamp=None, relative=False):
    """Writes the file that names the newest checkpoint."""
    paths = list(all_model_checkpoint_paths or [])
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
    state = message("CheckpointState")(model_checkpoint_path=_path(save_dir, model_checkpoint_path, relative))
    state.all_model_checkpoint_paths.extend(_path(save_dir, path, relative) for path in paths)
    file = os.path.join(save_dir, latest_filename or "checkpoint")
    with open(file + ".tmp", "w") as out:
        out.write(str(state))
    os.replace(file + ".tmp", file)


@export("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The CheckpointState of a directory, with paths that can be opened; None if there is none."""
    file = os.path.join(checkpoint_dir, latest_filename or "checkpoint")
    if not os.path.exists(file):
        return None
    with open(file) as text:
        state = parse(text.read(), message("CheckpointState")())
    if not state.model_checkpoint_path:
        raise ValueError("Invalid checkpoint state loaded from %s" % checkpoint_dir)
    if not os.path.isabs(state.model_checkpoint_path):
        state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    paths = [p if os.path.isabs(p) else os.path.join(checkpoint_dir, p) for p in state.all_model_checkpoint_paths]
    del state.all_model_checkpoint_paths[:]
    state.all_model_checkpoint_paths.extend(paths)
    return state


@export("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir, latest_filename=None):
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is not None and checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    return None
