"""What runs eagerly is not there: programs that ask for it are told so."""
from sluice._api import export

_TEXT = ("%s: operations run in sessions here, not eagerly; build a graph and run it with tf.Session (a program may ask "
         "tf.executing_eagerly(), which is False)")


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(_TEXT % name)
    refuse.__name__ = name.rpartition(".")[2]
    refuse.__doc__ = "Raises NotImplementedError: nothing runs eagerly here."
    return refuse


for _name in "enable_eager_execution", "enable_v2_behavior", "GradientTape", "function":
    export(_name)(_refused("tf." + _name))
for _name in ("enable_eager_execution", "defun", "GradientTape", "implicit_gradients", "implicit_value_and_gradients",
              "gradients_function", "value_and_gradients_function", "Iterator", "Variable", "run"):
    export("contrib.eager." + _name)(_refused("tf.contrib.eager." + _name))


@export("executing_eagerly", "contrib.eager.executing_eagerly", "python.eager.context.executing_eagerly")
def executing_eagerly():
    """False: operations run in sessions."""
    return False


@export("contrib.eager.in_eager_mode", "python.eager.context.in_eager_mode")
def in_eager_mode():
    return False


@export("disable_eager_execution", "disable_v2_behavior", "disable_v2_tensorshape", "disable_control_flow_v2")
def disable_eager_execution():
    """Nothing to do: this is TensorFlow 1.x without eager execution."""


@export("control_flow_v2_enabled")
def control_flow_v2_enabled():
    return False


@export("init_scope", "python.framework.ops.init_scope")
class init_scope:
    """Operations inside do not depend on outer control dependencies."""

    def __enter__(self):
        from sluice._graph import get_default_graph
        self._scope = get_default_graph().control_dependencies(None)
        self._scope.__enter__()

    def __exit__(self, *error):
        return self._scope.__exit__(*error)
