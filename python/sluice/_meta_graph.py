"""MetaGraphDefs: the graph, the saver and the collections of a program, and their way to and from files."""
import os

from sluice._api import export, export_value
from sluice._control_flow import ControlFlowContext
from sluice._graph import GraphKeys, Operation, Tensor, get_default_graph
from sluice._import_graph import import_graph_def
from sluice._message import DecodeError, message
from sluice._partitioned import SaveSliceInfo
from sluice._queues import QueueRunner
from sluice._resource_variables import ResourceVariable
from sluice._shape import TensorShape
from sluice._text import parse
from sluice._variables import Variable

export_value(message("MetaGraphDef"), "MetaGraphDef")
_VARIABLE_COLLECTIONS = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES,
                         GraphKeys.MODEL_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES,
                         GraphKeys.CONCATENATED_VARIABLES, GraphKeys.GLOBAL_STEP)


# --- Objects of collections ---

def _variable_to(v):
    resource = isinstance(v, ResourceVariable)
    made = message("VariableDef")(variable_name=v.name, initial_value_name=v.initial_value.name,
                                  initializer_name=v.initializer.name, trainable=v.trainable, is_resource=resource,
                                  snapshot_name=v._graph_element.name if resource else v.value().name)
    info = v._get_save_slice_info()
    if info is not None:
        part = made.save_slice_info_def
        part.full_name = info.full_name
        for field, values in (part.full_shape, info.full_shape), (part.var_offset, info.var_offset), \
                (part.var_shape, info.var_shape):
            field.extend(int(n) for n in values)
    return made


def _variable_from(proto, graph, scope):
    """The variable whose nodes are in the graph already."""
    def element(name):
        return graph.as_graph_element(scope + name)
    v = object.__new__(ResourceVariable if proto.is_resource else Variable)
    v._trainable = proto.trainable
    v._constraint = v._caching_device = v._slice = None
    v._initializer_op = element(proto.initializer_name)
    v._initializer_op = getattr(v._initializer_op, "op", v._initializer_op)
    v._initial_value = element(proto.initial_value_name) if proto.initial_value_name else v._initializer_op.inputs[1]
    if proto.is_resource:
        v._handle = element(proto.variable_name)
        v._dtype = v._handle.op.get_attr("dtype")
        v._declared = TensorShape(v._handle.op.get_attr("shape"))
        v._graph_element = element(proto.snapshot_name)
        v._is_initialized = None
    else:
        v._variable, v._snapshot = element(proto.variable_name), element(proto.snapshot_name)
    if proto.HasField("save_slice_info_def"):
        info = proto.save_slice_info_def
        v._slice = SaveSliceInfo(info.full_name, list(info.full_shape), list(info.var_offset), list(info.var_shape))
    return v


def _runner_to(runner):
    made = message("QueueRunnerDef")(queue_name=runner.queue.name, close_op_name=runner.close_op.name,
                                     cancel_op_name=runner.cancel_op.name)
    made.enqueue_op_name.extend(op.name for op in runner.enqueue_ops)
    made.queue_closed_exception_types.extend(kind(None, None, "").error_code for kind in runner.queue_closed_exception_types)
    return made


class _QueueName:
    """The queue of an imported runner, of which only the name is needed."""

    def __init__(self, name):
        self.name = name


def _runner_from(proto, graph, scope):
    from sluice import _errors
    kinds = [_errors.exception_type_from_error_code(code) for code in proto.queue_closed_exception_types]
    return QueueRunner(_QueueName(scope + proto.queue_name), [graph.as_graph_element(scope + n) for n in proto.enqueue_op_name],
                       graph.as_graph_element(scope + proto.close_op_name),
                       graph.as_graph_element(scope + proto.cancel_op_name), kinds or None)


def _collection(items, key):
    """A CollectionDef of the collection |key|; None if its items have no form in a file."""
    made = message("CollectionDef")()
    if key in _VARIABLE_COLLECTIONS and all(isinstance(v, Variable) for v in items):
        made.bytes_list.value.extend(_variable_to(v).SerializeToString() for v in items)
    elif all(isinstance(v, QueueRunner) for v in items):
        made.bytes_list.value.extend(_runner_to(v).SerializeToString() for v in items if v.in_meta_graphs)
    elif all(isinstance(v, (Tensor, Operation, Variable)) for v in items):
        made.node_list.value.extend(v.name for v in items)
    elif all(isinstance(v, ControlFlowContext) for v in items):
        made.bytes_list.value.extend(v.to_proto().SerializeToString() for v in items)
    elif all(isinstance(v, (bytes, str)) for v in items):
        made.bytes_list.value.extend(v.encode() if isinstance(v, str) else v for v in items)
    elif all(isinstance(v, int) and not isinstance(v, bool) for v in items):
        made.int64_list.value.extend(items)
    elif all(isinstance(v, float) for v in items):
        made.float_list.value.extend(items)
    elif all(hasattr(v, "SerializeToString") for v in items):
        made.bytes_list.value.extend(v.SerializeToString() for v in items)
    else:
        return None
    return made


# --- Export ---

@export("train.export_meta_graph")
def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None, collection_list=None, as_text=False,
                      graph=None, export_scope=None, clear_devices=False, clear_extraneous_savers=False,
                      strip_default_attrs=False, save_debug_info=False, **unused):
    """The MetaGraphDef of the default graph, written to |filename| if that is given."""
    if export_scope:
        raise NotImplementedError("export_meta_graph(): export_scope is not there yet")
    graph = graph or get_default_graph()
    made = message("MetaGraphDef")()
    if meta_info_def is not None:
        made.meta_info_def.CopyFrom(meta_info_def)
    made.meta_info_def.tensorflow_version = "1.15.0"
    made.graph_def.CopyFrom(graph_def or graph.as_graph_def(add_shapes=True))
    if clear_devices:
        for node in made.graph_def.node:
            node.device = ""
    if saver_def is not None:
        made.saver_def.CopyFrom(saver_def)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        items = graph.get_collection(key)
        made_collection = _collection(items, key) if items else None
        if made_collection is not None:
            made.collection_def[key].CopyFrom(made_collection)
    if filename:
        with open(filename, "wb") as out:
            out.write(str(made).encode() if as_text else made.SerializeToString())
    return made


# --- Import ---

def read_meta_graph_file(filename):
    """The MetaGraphDef of a file in wire or text format."""
    if not os.path.exists(filename):
        raise OSError("File %s does not exist." % filename)
    with open(filename, "rb") as file:
        data = file.read()
    try:
        return message("MetaGraphDef").FromString(data)
    except DecodeError:
        pass
    try:
        return parse(data.decode(), message("MetaGraphDef")())
    except (ValueError, UnicodeDecodeError) as error:
        raise OSError("Cannot parse file %s: %s." % (filename, error)) from None


def _restore_collection(graph, key, collection, scope):
    kind = collection.WhichOneof("kind")
    if kind == "node_list":
        for name in collection.node_list.value:
            graph.add_to_collection(key, graph.as_graph_element(scope + name))
    elif kind == "bytes_list" and key == GraphKeys.QUEUE_RUNNERS:
        for data in collection.bytes_list.value:
            graph.add_to_collection(key, _runner_from(message("QueueRunnerDef").FromString(data), graph, scope))
    elif kind == "bytes_list" and key in _VARIABLE_COLLECTIONS:
        for data in collection.bytes_list.value:
            proto = message("VariableDef").FromString(data)
            known = graph._imported_variables.get(scope + proto.variable_name)
            if known is None:
                known = graph._imported_variables[scope + proto.variable_name] = _variable_from(proto, graph, scope)
            graph.add_to_collection(key, known)
    elif kind == "bytes_list" and key == GraphKeys.SAVERS:
        for data in collection.bytes_list.value:
            graph.add_to_collection(key, message("SaverDef").FromString(data))
    elif kind is not None:
        for value in getattr(collection, kind).value:
            graph.add_to_collection(key, value)


def import_meta_graph_def(meta_graph, import_scope=None, clear_devices=False, input_map=None, return_elements=None,
                          restore_collections_predicate=None):
    """Adds the graph and the collections of |meta_graph|; returns the prefix of names and the elements."""
    graph = get_default_graph()
    graph_def = meta_graph.graph_def
    if clear_devices or any("_output_shapes" in node.attr for node in graph_def.node):
        copy = message("GraphDef")()
        copy.CopyFrom(graph_def)
        graph_def = copy
        for node in graph_def.node:
            node.attr.pop("_output_shapes", None)
            if clear_devices:
                node.device = ""
    scope = graph.get_name_scope()
    import_scope = import_scope or ""
    elements = import_graph_def(graph_def, input_map, return_elements, name=import_scope)
    prefix = "/".join(part for part in (scope, import_scope.rstrip("/")) if part)
    prefix = prefix + "/" if prefix else ""
    for key, collection in meta_graph.collection_def.items():
        if key in (GraphKeys.COND_CONTEXT, GraphKeys.WHILE_CONTEXT):
            continue  # they are needed to build gradients through loops that were imported
        if restore_collections_predicate is None or restore_collections_predicate(key):
            _restore_collection(graph, key, collection, prefix)
    return prefix, elements


@export("train.import_meta_graph")
def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds the graph of a .meta file; returns the Saver of it, or None if it has no variables to save."""
    from sluice._saver import Saver
    meta_graph = meta_graph_or_file
    if not isinstance(meta_graph, message("MetaGraphDef")):
        meta_graph = read_meta_graph_file(os.fspath(meta_graph))
    prefix, elements = import_meta_graph_def(meta_graph, import_scope, clear_devices, **kwargs)
    saver = None
    if meta_graph.HasField("saver_def"):
        saver_def = message("SaverDef")()
        saver_def.CopyFrom(meta_graph.saver_def)
        for field in "filename_tensor_name", "save_tensor_name", "restore_op_name":
            setattr(saver_def, field, prefix + getattr(saver_def, field))
        saver = Saver(saver_def=saver_def, name=prefix[:-1] or None)
    elif get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope=prefix or None):
        saver = Saver()
    return (saver, elements) if kwargs.get("return_elements") else saver
