"""The global step: tf.train.get_or_create_global_step and related functions."""
from sluice import _dtypes, _initializers
from sluice._api import export
from sluice._graph import GraphKeys, Tensor, get_default_graph, name_scope
from sluice._variable_scope import get_variable
from sluice._variables import Variable


@export("train.get_global_step")
def get_global_step(graph=None):
    """The variable of the collection GLOBAL_STEP, or the one named global_step; None if there is neither."""
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        return None
    if found:
        step = found[0]
    else:
        step = next((v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.name == "global_step:0"), None)
        if step is None:
            return None
    assert_global_step(step)
    return step


@export("train.create_global_step")
def create_global_step(graph=None):
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), name_scope(None):
        return get_variable("global_step", shape=[], dtype=_dtypes.int64, initializer=_initializers.Zeros(), trainable=False,
                            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


@export("train.get_or_create_global_step", "contrib.framework.get_or_create_global_step")
def get_or_create_global_step(graph=None):
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@export("train.assert_global_step")
def assert_global_step(global_step_tensor):
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError("Existing \"global_step\" must be a Variable or Tensor: %s." % (global_step_tensor,))
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError("Existing \"global_step\" does not have integer type: %s" % global_step_tensor.dtype.name)
    if global_step_tensor.shape.ndims not in (0, None):
        raise TypeError("Existing \"global_step\" is not scalar: %s" % global_step_tensor.shape)


@export("train.global_step")
def global_step(sess, global_step_tensor):
    """The value of the global step in |sess|."""
    return int(sess.run(global_step_tensor))
