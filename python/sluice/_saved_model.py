"""Saved models: tf.saved_model. A folder with the graph, its signatures, its variables and its assets."""
import os
import shutil

from sluice._api import export, export_value
from sluice._dtypes import as_dtype
from sluice._graph import GraphKeys, get_default_graph
from sluice._message import message
from sluice._meta_graph import export_meta_graph, import_meta_graph_def
from sluice._saver import Saver
from sluice._sparse_tensor import SparseTensor
from sluice._text import parse

# --- Constants ---

for _module, _values in (
        ("constants", {"ASSETS_DIRECTORY": "assets", "ASSETS_KEY": "saved_model_assets",
                       "LEGACY_INIT_OP_KEY": "legacy_init_op", "MAIN_OP_KEY": "saved_model_main_op",
                       "SAVED_MODEL_FILENAME_PB": "saved_model.pb", "SAVED_MODEL_FILENAME_PBTXT": "saved_model.pbtxt",
                       "SAVED_MODEL_SCHEMA_VERSION": 1, "VARIABLES_DIRECTORY": "variables",
                       "VARIABLES_FILENAME": "variables"}),
        ("signature_constants", {
            "CLASSIFY_INPUTS": "inputs", "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
            "CLASSIFY_OUTPUT_CLASSES": "classes", "CLASSIFY_OUTPUT_SCORES": "scores",
            "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default", "PREDICT_INPUTS": "inputs",
            "PREDICT_METHOD_NAME": "tensorflow/serving/predict", "PREDICT_OUTPUTS": "outputs",
            "REGRESS_INPUTS": "inputs", "REGRESS_METHOD_NAME": "tensorflow/serving/regress", "REGRESS_OUTPUTS": "outputs"}),
        ("tag_constants", {"GPU": "gpu", "SERVING": "serve", "TPU": "tpu", "TRAINING": "train"})):
    for _name, _value in _values.items():
        export_value(_value, "saved_model.%s" % _name, "saved_model.%s.%s" % (_module, _name))
_SCHEMA = 1
_MAIN_OP, _LEGACY_INIT, _INIT_SIGNATURE = "saved_model_main_op", "legacy_init_op", "__saved_model_init_op"
_PREDICT, _CLASSIFY, _REGRESS = ("tensorflow/serving/" + method for method in ("predict", "classify", "regress"))
export_value(message("TensorInfo"), "TensorInfo")
SignatureDef = message("SignatureDef")


# --- Signatures ---

@export("saved_model.build_tensor_info", "saved_model.utils.build_tensor_info")
def build_tensor_info(tensor):
    """The TensorInfo of a tensor or of a sparse tensor."""
    made = message("TensorInfo")()
    made.dtype = int(as_dtype(tensor.dtype).base_dtype)
    made.tensor_shape.CopyFrom(tensor.shape.as_proto())
    made.tensor_shape._touch()
    if isinstance(tensor, SparseTensor):
        for field in "values", "indices", "dense_shape":
            setattr(made.coo_sparse, field + "_tensor_name", getattr(tensor, field).name)
    else:
        made.name = tensor.name
    return made


@export("saved_model.get_tensor_from_tensor_info", "saved_model.utils.get_tensor_from_tensor_info")
def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    graph = graph or get_default_graph()
    scope = import_scope + "/" if import_scope else ""

    def element(name):
        return graph.get_tensor_by_name(scope + name)
    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return element(tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        return SparseTensor(element(parts.indices_tensor_name), element(parts.values_tensor_name),
                            element(parts.dense_shape_tensor_name))
    raise ValueError("Invalid TensorInfo.encoding: %s" % encoding)


@export("saved_model.build_signature_def", "saved_model.signature_def_utils.build_signature_def")
def build_signature_def(inputs=None, outputs=None, method_name=None):
    """A SignatureDef of TensorInfos by name."""
    made = SignatureDef()
    for field, infos in (made.inputs, inputs or {}), (made.outputs, outputs or {}):
        for key, info in infos.items():
            field[key].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    return made


def _infos(tensors):
    return {key: build_tensor_info(tensor) for key, tensor in tensors.items()}


@export("saved_model.predict_signature_def", "saved_model.signature_def_utils.predict_signature_def")
def predict_signature_def(inputs, outputs):
    if not inputs or not outputs:
        raise ValueError("Prediction %s cannot be None or empty." % ("inputs" if not inputs else "outputs"))
    return build_signature_def(_infos(inputs), _infos(outputs), _PREDICT)


@export("saved_model.classification_signature_def", "saved_model.signature_def_utils.classification_signature_def")
def classification_signature_def(examples, classes, scores):
    if examples is None or (classes is None and scores is None):
        raise ValueError("Classification needs examples, and classes or scores.")
    outputs = {key: value for key, value in (("classes", classes), ("scores", scores)) if value is not None}
    return build_signature_def(_infos({"inputs": examples}), _infos(outputs), _CLASSIFY)


@export("saved_model.regression_signature_def", "saved_model.signature_def_utils.regression_signature_def")
def regression_signature_def(examples, predictions):
    if examples is None or predictions is None:
        raise ValueError("Regression needs examples and predictions.")
    return build_signature_def(_infos({"inputs": examples}), _infos({"outputs": predictions}), _REGRESS)


@export("saved_model.is_valid_signature", "saved_model.signature_def_utils.is_valid_signature")
def is_valid_signature(signature_def):
    if signature_def is None or not signature_def.inputs or not signature_def.outputs:
        return False
    if signature_def.method_name == _PREDICT:
        return True
    names, types = set(signature_def.outputs), {k: v.dtype for k, v in signature_def.outputs.items()}
    text = set(signature_def.inputs) == {"inputs"} and signature_def.inputs["inputs"].dtype == 7
    if signature_def.method_name == _CLASSIFY:
        return text and names <= {"classes", "scores"} and types.get("classes", 7) == 7 and types.get("scores", 1) == 1
    return signature_def.method_name == _REGRESS and text and types == {"outputs": 1}


@export("saved_model.main_op_with_restore", "saved_model.main_op.main_op_with_restore")
def main_op_with_restore(restore_op_name):
    """Restores after variables and tables are initialised."""
    from sluice._graph import control_dependencies
    from sluice._variables import group
    with control_dependencies([main_op()]):
        return group(get_default_graph().as_graph_element(restore_op_name, allow_tensor=False))


@export("saved_model.main_op.main_op")
def main_op():
    from sluice import _api
    from sluice._variables import group
    return group(_api.lookup("", "global_variables_initializer")(), _api.lookup("", "local_variables_initializer")(), _api.lookup("", "tables_initializer")())


# --- Writing ---

@export("saved_model.Builder", "saved_model.builder.SavedModelBuilder")
class SavedModelBuilder:
    """Builds a saved model: the variables and the first graph, then any number of further graphs."""

    def __init__(self, export_dir):
        self._export_dir = os.fspath(export_dir)
        if os.path.isdir(self._export_dir) and os.listdir(self._export_dir):
            raise AssertionError("Export directory already exists, and isn't empty. Please choose a different export "
                                 "directory, or delete all the contents of the specified directory: %s" % export_dir)
        os.makedirs(self._export_dir, exist_ok=True)
        self._model = message("SavedModel")(saved_model_schema_version=_SCHEMA)
        self._has_variables = False

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None, strip_default_attrs=False, saver=None,
                                     train_op=None, assets_list=None):
        """Writes the variables of |sess| and adds its graph."""
        if self._has_variables:
            raise AssertionError("Graph state including variables and assets has already been saved. Please invoke "
                                 "`add_meta_graph()` instead.")
        with sess.graph.as_default():
            saver = self._saver(saver)
            self._begin(signature_def_map, assets_collection or assets_list, main_op or legacy_init_op, train_op)
            folder = os.path.join(self._export_dir, "variables")
            os.makedirs(folder, exist_ok=True)
            saver.save(sess, os.path.join(folder, "variables"), write_meta_graph=False, write_state=False)
            self._add(saver, tags, signature_def_map, clear_devices)
        self._has_variables = True

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None, clear_devices=False,
                       main_op=None, strip_default_attrs=False, saver=None, train_op=None, assets_list=None):
        """Adds the default graph, which uses the variables that were written."""
        if not self._has_variables:
            raise AssertionError("Graph state including variables and assets has not been saved yet. Please invoke "
                                 "`add_meta_graph_and_variables()` first.")
        saver = self._saver(saver)
        self._begin(signature_def_map, assets_collection or assets_list, main_op or legacy_init_op, train_op)
        self._add(saver, tags, signature_def_map, clear_devices)

    @staticmethod
    def _saver(saver):
        return saver or Saver(get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES) +
                              get_default_graph().get_collection(GraphKeys.SAVEABLE_OBJECTS) or None,
                              sharded=True, write_version=2, allow_empty=True)

    def _begin(self, signatures, assets, main, train_op):
        for key, signature in (signatures or {}).items():
            for field in signature.inputs, signature.outputs:
                for name, info in field.items():
                    if info.WhichOneof("encoding") is None:
                        raise AssertionError("All TensorInfo protos used in the SignatureDefs must have the name field set: "
                                             "%s of %s" % (name, key))
        graph = get_default_graph()
        self._assets = self._save_assets(assets or [])
        if main is not None:
            graph.clear_collection(_MAIN_OP)
            graph.add_to_collection(_MAIN_OP, main)
        if train_op is not None:
            graph.clear_collection("saved_model_train_op")
            graph.add_to_collection("saved_model_train_op", train_op)

    def _save_assets(self, assets):
        """Copies files whose names are in tensors; (file name, tensor) of each."""
        from sluice._static import constant_value
        found = []
        for tensor in assets:
            value = constant_value(tensor)
            path = None if value is None else value.item().decode()
            if not path:
                raise ValueError("Invalid asset filepath tensor %s" % tensor)
            target = os.path.join(self._export_dir, "assets", os.path.basename(path))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.abspath(path) != os.path.abspath(target):
                shutil.copyfile(path, target)
            found.append((os.path.basename(path), tensor))
        return found

    def _add(self, saver, tags, signatures, clear_devices):
        made = export_meta_graph(saver_def=saver.saver_def, clear_devices=clear_devices)
        made.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            made.signature_def[key].CopyFrom(signature)
        for name, tensor in self._assets:
            made.asset_file_def.add(filename=name).tensor_info.name = tensor.name
        self._model.meta_graphs.append(made)

    def save(self, as_text=False):
        """Writes the model; returns the path of its file."""
        path = os.path.join(self._export_dir, "saved_model.pbtxt" if as_text else "saved_model.pb")
        with open(path + ".tmp", "wb") as out:
            out.write(str(self._model).encode() if as_text else self._model.SerializeToString())
        os.replace(path + ".tmp", path)
        return path.encode()


@export("saved_model.simple_save")
def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """A saved model with one signature, for serving."""
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session, tags=["serve"], signature_def_map={"serving_default": predict_signature_def(inputs, outputs)},
        assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS), main_op=legacy_init_op,
        clear_devices=True)
    builder.save()


# --- Reading ---

def _read(export_dir):
    for name in "saved_model.pb", "saved_model.pbtxt":
        path = os.path.join(export_dir, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
            made = message("SavedModel")
            return made.FromString(data) if name.endswith(".pb") else parse(data.decode(), made())
    raise OSError("SavedModel file does not exist at: %s%s{saved_model.pbtxt|saved_model.pb}" % (export_dir, os.path.sep))


@export("saved_model.maybe_saved_model_directory", "saved_model.loader.maybe_saved_model_directory",
        "saved_model.contains_saved_model")
def maybe_saved_model_directory(export_dir):
    return any(os.path.exists(os.path.join(export_dir, name)) for name in ("saved_model.pb", "saved_model.pbtxt"))


@export("saved_model.load", "saved_model.loader.load")
def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Adds the graph with exactly these tags to that of |sess|, restores its variables, runs its initialisation. Returns the
    MetaGraphDef."""
    model = _read(export_dir)
    found = [m for m in model.meta_graphs if set(m.meta_info_def.tags) == set(tags)]
    if not found:
        raise RuntimeError("MetaGraphDef associated with tags %s could not be found in SavedModel. To inspect available "
                           "tag-sets in the SavedModel, please use the SavedModel CLI: `sluice inspect`" % sorted(tags))
    meta_graph = found[0]
    with sess.graph.as_default():
        prefix, _ = import_meta_graph_def(meta_graph, import_scope, **saver_kwargs)
        path = os.path.join(export_dir, "variables", "variables")
        if meta_graph.HasField("saver_def") and os.path.exists(path + ".index"):
            definition = meta_graph.saver_def
            sess.run(prefix + definition.restore_op_name, {prefix + definition.filename_tensor_name: path})
        feeds = {prefix + a.tensor_info.name: os.path.join(export_dir, "assets", a.filename)
                 for a in meta_graph.asset_file_def}
        for op in _initial_operations(meta_graph, prefix, sess.graph):
            sess.run(op, feeds)
    return meta_graph


def _initial_operations(meta_graph, prefix, graph):
    if _INIT_SIGNATURE in meta_graph.signature_def:
        name = meta_graph.signature_def[_INIT_SIGNATURE].outputs[_INIT_SIGNATURE].name
        return [graph.as_graph_element(prefix + name)]
    for key in _MAIN_OP, _LEGACY_INIT:
        if key in meta_graph.collection_def:
            names = meta_graph.collection_def[key].node_list.value
            return [graph.as_graph_element(prefix + name) for name in names]
    return []
