"""Saved models of estimators: tf.estimator.export, Estimator.export_saved_model, exporters."""
import collections
import os
import shutil
import time

from sluice import _errors, _logging
from sluice._api import export
from sluice._dtypes import string
from sluice._estimator_config import ModeKeys
from sluice._graph import Graph, GraphKeys, Tensor, get_collection
from sluice._parse import parse_example
from sluice._saved_model import SavedModelBuilder, is_valid_signature
from sluice._saver import Saver
from sluice._session import Session
from sluice._session_manager import Scaffold
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor
from sluice._variables import placeholder


# --- What a served model receives ---

def _named(tensors, kind, default, keys=(str,)):
    """{name: tensor}, checked"""
    if tensors is None:
        raise ValueError("%ss must be defined." % kind)
    if not isinstance(tensors, dict):
        tensors = {default: tensors}
    for name, tensor in tensors.items():
        if not isinstance(name, keys):
            raise ValueError("%s keys must be strings: %s." % (kind, name))
        if not isinstance(tensor, (Tensor, SparseTensor)):
            raise ValueError("%s %s must be a Tensor or SparseTensor." % (kind, name))
    return tensors


_RECEIVER = ("features", "receiver_tensors", "receiver_tensors_alternatives")


@export("estimator.export.ServingInputReceiver")
class ServingInputReceiver(collections.namedtuple("ServingInputReceiver", _RECEIVER)):
    """The features of a model, and the placeholders from which they are made."""

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        others = receiver_tensors_alternatives
        if others is not None:
            if not isinstance(others, dict):
                raise ValueError("receiver_tensors_alternatives must be a dict: %s." % (others,))
            others = {name: _named(t, "receiver_tensors_alternative", "input") for name, t in others.items()}
        return super().__new__(cls, _named(features, "feature", "feature", (str, int)),
                               _named(receiver_tensors, "receiver_tensor", "input"), others)


@export("estimator.export.TensorServingInputReceiver")
class TensorServingInputReceiver(collections.namedtuple("TensorServingInputReceiver", _RECEIVER)):
    """A ServingInputReceiver whose features are one tensor, which the model gets without a name."""

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if not isinstance(features, (Tensor, SparseTensor)):
            raise ValueError("feature must be a Tensor or SparseTensor, given: %s" % (features,))
        made = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(cls, made.features["feature"], made.receiver_tensors, made.receiver_tensors_alternatives)


@export("estimator.export.build_parsing_serving_input_receiver_fn")
def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """A function for models that are served serialized Examples."""
    def receive():
        examples = placeholder(string, [default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(parse_example(examples, feature_spec), {"examples": examples})
    return receive


@export("estimator.export.build_raw_serving_input_receiver_fn")
def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """A function for models that are served tensors like |features|."""
    def receive():
        made = {}
        for name, tensor in features.items():
            shape = TensorShape([default_batch_size]).concatenate(tensor.shape[1:])
            made[name] = placeholder(tensor.dtype, shape, name=tensor.op.name)
        return ServingInputReceiver(made, dict(made))
    return receive


# --- Writing ---

def _signatures(receiver, outputs):
    """{name: SignatureDef} of those that can be served."""
    found, left_out = {}, {}
    receivers = {"": receiver.receiver_tensors}
    receivers.update({"%s:" % name: t for name, t in (receiver.receiver_tensors_alternatives or {}).items()})
    for prefix, tensors in receivers.items():
        for key, output in outputs.items():
            try:
                signature = output.as_signature_def(tensors)
            except ValueError as error:
                left_out[prefix + key] = str(error)
                continue
            if is_valid_signature(signature):
                found[prefix + key] = signature
    _logging.info("Signatures INCLUDED in export: %s", sorted(found) or "None")
    for name, why in left_out.items():
        _logging.info("'%s' is EXCLUDED from export because it cannot be served: %s", name, why)
    if "serving_default" not in found:
        _logging.warn("Export includes no default signature!")
    return found


def _free_folder(base):
    """A folder in |base| named by the second, as a server of models takes versions."""
    for _ in range(10):
        path = os.path.join(base, "%d" % time.time())
        if not os.path.exists(path):
            return path
        _logging.warn("Directory %s already exists; retrying", path)
        time.sleep(1)
    raise RuntimeError("Failed to obtain a unique export directory name in %s after 10 attempts." % base)


def write(estimator, base, receiver_fn, assets_extra, as_text, checkpoint_path):
    """Writes the model of |estimator| for predictions; returns the path of its folder, as bytes."""
    if not receiver_fn:
        raise ValueError("An input_receiver_fn must be defined.")
    checkpoint_path = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint_path:
        raise ValueError("Couldn't find trained model at %s." % estimator.model_dir)
    base = os.fspath(base.decode() if isinstance(base, bytes) else base)
    folder = _free_folder(base)
    temporary = os.path.join(base, "temp-" + os.path.basename(folder))
    builder = SavedModelBuilder(temporary)
    with Graph().as_default() as graph:
        _add_graph(estimator, builder, receiver_fn, graph, checkpoint_path)
    builder.save(as_text)
    for name, source in (assets_extra or {}).items():
        target = os.path.join(temporary, "assets.extra", name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
    os.rename(temporary, folder)
    return folder.encode()


def _add_graph(estimator, builder, receiver_fn, graph, checkpoint_path):
    estimator._begin_graph(graph)
    receiver = receiver_fn()
    spec = estimator._call_model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config)
    signatures = _signatures(receiver, spec.export_outputs)
    initial = spec.scaffold.local_init_op
    if initial is None:
        initial = Scaffold.default_local_init_op()
    saver = spec.scaffold.saver or Saver(sharded=True)
    with Session(config=estimator.config.session_config) as session:
        try:
            saver.restore(session, checkpoint_path)
        except _errors.NotFoundError as error:
            raise ValueError("Could not load all requested variables from checkpoint. Please make sure your model_fn does not "
                             "expect variables that were not saved in the checkpoint: %s" % error) from error
        builder.add_meta_graph_and_variables(
            session, ["serve"], signatures, get_collection(GraphKeys.ASSET_FILEPATHS), main_op=initial, saver=saver,
            strip_default_attrs=True)


# --- Exporters ---

@export("estimator.Exporter")
class Exporter:
    """Writes models while training goes on."""

    name = property(lambda self: None)

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        raise NotImplementedError("export is not implemented for %s" % type(self).__name__)


class _SavedModelExporter(Exporter):
    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
        self._name, self._receiver_fn, self._assets, self._as_text = name, serving_input_receiver_fn, assets_extra, as_text

    name = property(lambda self: self._name)

    def _write(self, estimator, export_path, checkpoint_path):
        return estimator.export_saved_model(export_path, self._receiver_fn, self._assets, self._as_text, checkpoint_path)


@export("estimator.FinalExporter")
class FinalExporter(_SavedModelExporter):
    """Writes the model once, after the last evaluation."""

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        return self._write(estimator, export_path, checkpoint_path) if is_the_final_export else None


@export("estimator.LatestExporter")
class LatestExporter(_SavedModelExporter):
    """Writes the model after each evaluation and keeps the last few."""

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False, exports_to_keep=5):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number. Got %s" % exports_to_keep)
        self._keep = exports_to_keep

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        made = self._write(estimator, export_path, checkpoint_path)
        if self._keep is not None:
            versions = sorted((v for v in os.listdir(export_path) if len(v) == 10 and v.isdigit()), key=int)
            for version in versions[:-self._keep]:
                shutil.rmtree(os.path.join(export_path, version))
        return made
