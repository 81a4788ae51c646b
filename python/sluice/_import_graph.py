"""GraphDefs: tf.import_graph_def, tf.graph_util, tf.train.write_graph."""
import os
import re

import numpy as np

from sluice import _errors, _extension, _tensor_proto
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, get_default_graph, name_scope
from sluice._message import message

_VARIABLE_OPS = ("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp", "ReadVariableOp")


def _key(name):
    """(operation, output) of a tensor's name; an operation has the output -1 and a control input -2."""
    if name.startswith("^"):
        return name[1:], -2
    base, colon, index = name.partition(":")
    return base, int(index) if colon else -1


@export("import_graph_def", "graph_util.import_graph_def")
def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    """Adds the nodes of |graph_def| under the scope |name|; returns the operations and tensors |return_elements|."""
    if not isinstance(graph_def, message("GraphDef")):
        raise TypeError("graph_def must be a GraphDef proto, got %s" % type(graph_def).__name__)
    input_map = dict(input_map or {})
    if not all(isinstance(k, str) for k in input_map):
        raise TypeError("Keys of input_map must be strings. Got %s" % list(input_map))
    elements = list(return_elements or ())
    if not all(isinstance(e, str) for e in elements):
        raise TypeError("Values of return_elements must be strings. Got %s" % elements)
    graph = get_default_graph()
    graph._check_not_finalized()
    with name_scope(name, "import", [v for v in input_map.values() if hasattr(v, "op")]) as scope:
        prefix = scope[:-1] if scope else ""
        mapped = _tensors(input_map, name)
    keys = [(base, max(index, 0)) for base, index in map(_key, mapped)]
    graph._discover()
    try:
        outputs, operations = _extension.import_graph_def(
            graph._number, graph_def.SerializeToString(), prefix, keys, [t._pair for t in mapped.values()],
            [_key(element) for element in elements])
    except _errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from None
    for op in graph._discover():
        _placed(graph, op)
    if return_elements is None:
        return None
    outputs, operations = iter(outputs), iter(operations)
    return [graph._tensor(next(outputs)) if _key(e)[1] >= 0 else graph._operation(next(operations)) for e in elements]


def _tensors(input_map, name):
    if all(isinstance(value, Tensor) for value in input_map.values()):
        return input_map
    if name == "":
        raise ValueError("tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try "
                         "calling tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def().")
    with name_scope("_inputs"):
        return {key: convert_to_tensor(value) for key, value in input_map.items()}


def _placed(graph, op):
    """Lets the device scopes decide where an imported node leaves it open."""
    if not graph._stacks.devices:
        return
    with graph.device(op.device):
        graph._place(op)


# --- tf.graph_util ---

def _inputs(node):
    return [re.sub(r"^\^|:\d+$", "", name) for name in node.input]


@export("graph_util.extract_sub_graph")
def extract_sub_graph(graph_def, dest_nodes):
    """The nodes that |dest_nodes| need, in the order of |graph_def|."""
    if not isinstance(graph_def, message("GraphDef")):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto, but got type %s." % type(graph_def))
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be an iterable of strings, but got type %s." % type(dest_nodes))
    by_name = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        if name not in by_name:
            raise AssertionError("%s is not in graph" % name)
    found, todo = set(), list(dest_nodes)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += _inputs(by_name[name])
    made = message("GraphDef")()
    made.node.MergeFrom([node for node in graph_def.node if node.name in found])
    made.library.CopyFrom(graph_def.library)
    made.versions.CopyFrom(graph_def.versions)
    return made


def _constant_node(name, value):
    made = message("NodeDef")(name=name, op="Const")
    dtype = as_dtype(value.dtype)
    made.attr["dtype"].type = int(dtype)
    made.attr["value"].tensor.CopyFrom(_tensor_proto.encode(np.asarray(value), dtype))
    made.attr["value"].tensor._touch()
    return made


@export("graph_util.convert_variables_to_constants")
def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """The graph that |output_node_names| need, with the values that variables have in |sess| in their places."""
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    by_name = {node.name: node for node in graph_def.node}

    def is_frozen(name):
        return (variable_names_whitelist is None or name in variable_names_whitelist) and \
            (variable_names_blacklist is None or name not in variable_names_blacklist)
    names = [node.name for node in graph_def.node if node.op in ("Variable", "VariableV2", "VarHandleOp") and
             is_frozen(node.name)]
    fetches = [name + "/Read/ReadVariableOp:0" if by_name[name].op == "VarHandleOp" else name + ":0" for name in names]
    values = dict(zip(names, sess.run(fetches) if names else []))

    def handle_of(node):
        """The variable behind a resource that nodes may have passed on."""
        while node.op in ("Identity", "Enter", "Switch"):
            node = by_name[_inputs(node)[0]]
        return node.name
    made = message("GraphDef")()
    for node in graph_def.node:
        if node.name in values:
            made.node.append(_constant_node(node.name, np.asarray(values[node.name])))
        elif node.op == "ReadVariableOp" and handle_of(by_name[_inputs(node)[0]]) in values:
            read = made.node.add(name=node.name, op="Identity")
            read.input.append(node.input[0])
            read.attr["T"].CopyFrom(node.attr["dtype"])
        elif node.op == "ResourceGather" and handle_of(by_name[_inputs(node)[0]]) in values:
            axis = _constant_node(node.name + "/axis", np.array(0, np.int32))
            made.node.append(axis)
            gather = made.node.add(name=node.name, op="GatherV2")
            gather.input.extend([node.input[0], node.input[1], axis.name])
            gather.attr["Tparams"].CopyFrom(node.attr["dtype"])
            gather.attr["Tindices"].CopyFrom(node.attr["Tindices"])
            gather.attr["Taxis"].type = 3
        else:
            made.node.MergeFrom([node])
    made.library.CopyFrom(graph_def.library)
    made.versions.CopyFrom(graph_def.versions)
    return made


@export("graph_util.remove_training_nodes")
def remove_training_nodes(input_graph, protected_nodes=None):
    """|input_graph| without checks of numbers and without identities that no control input names."""
    protected = set(protected_nodes or ()) | {name[1:] for node in input_graph.node for name in node.input
                                              if name.startswith("^")}
    passed_on = {node.name: node.input[0] for node in input_graph.node if node.op in ("Identity", "CheckNumerics") and
                 node.name not in protected and not any(i.startswith("^") for i in node.input)}
    made = message("GraphDef")()
    for node in input_graph.node:
        if node.name in passed_on:
            continue
        copy = made.node.add()
        copy.CopyFrom(node)
        for i, name in enumerate(copy.input):
            while name in passed_on:
                name = passed_on[name]
            copy.input[i] = name
    made.library.CopyFrom(input_graph.library)
    made.versions.CopyFrom(input_graph.versions)
    return made


@export("graph_util.must_run_on_cpu")
def must_run_on_cpu(node, pin_variables_on_cpu=False):
    node = node.node_def if hasattr(node, "node_def") else node
    if pin_variables_on_cpu and node.op in _VARIABLE_OPS:
        return True
    if node.op == "Const":
        return node.attr["dtype"].type == 7
    return node.op in ("DynamicStitch", "DynamicPartition") and node.attr["T"].type == 3


@export("graph_util.tensor_shape_from_node_def_name")
def tensor_shape_from_node_def_name(graph, input_name):
    return graph.get_tensor_by_name(input_name if ":" in input_name else input_name + ":0").shape


@export("train.write_graph", "io.write_graph")
def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a GraphDef; returns its path."""
    graph_def = graph_or_graph_def.as_graph_def() if hasattr(graph_or_graph_def, "as_graph_def") else graph_or_graph_def
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    with open(path + ".tmp", "wb") as out:
        out.write(str(graph_def).encode() if as_text else graph_def.SerializeToString())
    os.replace(path + ".tmp", path)
    return path
