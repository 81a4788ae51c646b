"""What a model function returns: tf.estimator.EstimatorSpec, and the outputs of saved models in tf.estimator.export."""
import collections

from sluice import _array
from sluice._api import export
from sluice._dtypes import string
from sluice._estimator_config import ModeKeys
from sluice._graph import Operation, Tensor, get_default_graph
from sluice._hooks import SessionRunHook
from sluice._saved_model import classification_signature_def, predict_signature_def, regression_signature_def
from sluice._session_manager import Scaffold

_ONE_INPUT = ("%s signatures can only accept a single tensor input of type tf.string. Please check to make sure that you "
              "have structured the serving_input_receiver_fn so that it creates a single string placeholder. Received: %s")


# --- Outputs of saved models ---

@export("estimator.export.ExportOutput")
class ExportOutput:
    def as_signature_def(self, receiver_tensors):
        raise NotImplementedError("as_signature_def is not implemented for %s" % type(self).__name__)


def _is_float(value):
    return isinstance(value, Tensor) and value.dtype.is_floating


def _examples(kind, receivers):
    """The only input, which holds examples."""
    if len(receivers) != 1 or next(iter(receivers.values())).dtype != string:
        raise ValueError(_ONE_INPUT % (kind, receivers))
    return next(iter(receivers.values()))


@export("estimator.export.ClassificationOutput")
class ClassificationOutput(ExportOutput):
    def __init__(self, scores=None, classes=None):
        if scores is not None and not _is_float(scores):
            raise ValueError("Classification scores must be a float32 Tensor; got %s" % (scores,))
        if classes is not None and not (isinstance(classes, Tensor) and classes.dtype == string):
            raise ValueError("Classification classes must be a string Tensor; got %s" % (classes,))
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores, self._classes = scores, classes

    scores = property(lambda self: self._scores)
    classes = property(lambda self: self._classes)

    def as_signature_def(self, receiver_tensors):
        return classification_signature_def(_examples("Classification", receiver_tensors), self._classes, self._scores)


@export("estimator.export.RegressionOutput")
class RegressionOutput(ExportOutput):
    def __init__(self, value):
        if not _is_float(value):
            raise ValueError("Regression output value must be a float32 Tensor; got %s" % (value,))
        self._value = value

    value = property(lambda self: self._value)

    def as_signature_def(self, receiver_tensors):
        return regression_signature_def(_examples("Regression", receiver_tensors), self._value)


@export("estimator.export.PredictOutput")
class PredictOutput(ExportOutput):
    def __init__(self, outputs):
        self._outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        for key, value in self._outputs.items():
            if not isinstance(key, str):
                raise ValueError("Prediction output key must be a string; got %s." % (key,))
            if not isinstance(value, Tensor):
                raise ValueError("Prediction output value must be a Tensor; got %s." % (value,))

    outputs = property(lambda self: self._outputs)

    def as_signature_def(self, receiver_tensors):
        return predict_signature_def(receiver_tensors, self._outputs)


# --- The spec ---

_FIELDS = ("mode", "predictions", "loss", "train_op", "eval_metric_ops", "export_outputs", "training_chief_hooks",
           "training_hooks", "scaffold", "evaluation_hooks", "prediction_hooks")


@export("estimator.EstimatorSpec")
class EstimatorSpec(collections.namedtuple("EstimatorSpec", _FIELDS)):
    """The operations of a model for one mode."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, export_outputs=None,
                training_chief_hooks=None, training_hooks=None, scaffold=None, evaluation_hooks=None, prediction_hooks=None):
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
            raise ValueError("mode %s is none of tf.estimator.ModeKeys" % (mode,))
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode != ModeKeys.PREDICT and loss is None:
            raise ValueError("Missing loss.")
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions.")
        train_op = None if train_op is None else _element(train_op, "train_op")
        loss = None if loss is None else _scalar(loss)
        predictions = {} if predictions is None else _predictions(predictions, mode)
        metrics = _metrics(eval_metric_ops)
        _check_graph(train_op, loss, metrics)
        hooks = [tuple(h or ()) for h in (training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks)]
        for hook in sum(hooks, ()):
            if not isinstance(hook, SessionRunHook):
                raise TypeError("All hooks must be SessionRunHook instances, given: %s" % (hook,))
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError("scaffold must be tf.train.Scaffold. Given: %s" % (scaffold,))
        outputs = _outputs(export_outputs, predictions) if mode == ModeKeys.PREDICT else None
        return super().__new__(cls, mode, predictions, loss, train_op, metrics, outputs, hooks[0], hooks[1], scaffold,
                               hooks[2], hooks[3])


def _element(value, name):
    """|value|, a tensor or an operation; variables are their tensors."""
    if isinstance(value, (Tensor, Operation)):
        return value
    made = getattr(value, "_as_graph_element", lambda: None)()
    if made is None:
        raise TypeError("%s must be Operation or Tensor, given: %s" % (name, value))
    return made


def _scalar(loss):
    loss = _element(loss, "loss")
    if not isinstance(loss, Tensor):
        raise TypeError("loss must be Tensor, given: %s" % (loss,))
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError("Loss must be scalar, given: %s" % loss)
    return loss if loss.shape.is_compatible_with([]) else _array.reshape(loss, [])


def _predictions(predictions, mode):
    named = predictions.items() if isinstance(predictions, dict) else [("", predictions)]
    for key, value in named:
        where = "predictions[%s]" % key if key else "predictions"
        if not isinstance(value, Tensor) and getattr(value, "_as_graph_element", None) is None:
            raise TypeError("%s must be Tensor, given: %s" % (where, value))
        if mode == ModeKeys.PREDICT and value.graph is not get_default_graph():
            raise ValueError("%s must be from the default graph: %s" % (where, value))
    return predictions


def _metrics(metrics):
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError("eval_metric_ops must be a dict, given: %s" % (metrics,))
    made = {}
    for key, pair in metrics.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Values of eval_metric_ops must be (metric_value, update_op) tuples, given: %s for key: %s" %
                            (pair, key))
        made[key] = tuple(_element(value, "eval_metric_ops[%s]" % key) for value in pair)
    return made


def _check_graph(train_op, loss, metrics):
    found = [("train_op", train_op), ("loss", loss)]
    found += [("eval_metric_ops[%s]" % key, value) for key, pair in metrics.items() for value in pair]
    for name, value in found:
        if value is not None and value.graph is not get_default_graph():
            raise ValueError("%s must be from the default graph. Possible causes of this error include: %s was created "
                             "outside the context of the default graph, or by a different Estimator: %s" %
                             (name, name, value.name))


def _outputs(outputs, predictions):
    """What a saved model gives, with an output that is the default one."""
    default = "serving_default"
    if outputs is None:
        return {default: PredictOutput(predictions)}
    if not isinstance(outputs, dict):
        raise TypeError("`export_outputs` must be dict, given: %s" % (outputs,))
    for value in outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError("Values in `export_outputs` must be ExportOutput objects, given: %s" % (outputs,))
    if len(outputs) == 1 and default not in outputs:
        return {**outputs, default: next(iter(outputs.values()))}
    if len(outputs) > 1 and default not in outputs:
        raise ValueError("Multiple `export_outputs` were provided, but none of them is specified as the default. Do this by "
                         "naming one of them with `signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY`.")
    return outputs
