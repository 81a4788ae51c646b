"""Modules of TensorFlow's own code, such as tensorflow.python.ops.math_ops, of which programs use public functions."""

# Below tensorflow.python, as far as their functions are public.
_MODULES = {
    "client": "device_lib session timeline",
    "data": "",
    "data.ops": "dataset_ops iterator_ops readers",
    "estimator": "estimator estimator_lib exporter model_fn run_config training util",
    "estimator.canned":
        "baseline dnn dnn_linear_combined head linear metric_keys optimizers parsing_utils prediction_keys",
    "estimator.export": "export export_lib export_output",
    "estimator.inputs": "inputs numpy_io pandas_io",
    "feature_column": "dense_features feature_column feature_column_lib sequence_feature_column utils",
    "framework":
        "constant_op device device_spec dtypes errors errors_impl function graph_io graph_util graph_util_impl "
        "importer indexed_slices meta_graph ops random_seed sparse_tensor tensor_shape tensor_spec tensor_util "
        "versions",
    "layers": "base convolutional core layers normalization pooling utils",
    "lib": "",
    "lib.io": "file_io python_io tf_record",
    "ops":
        "array_ops bitwise_ops candidate_sampling_ops check_ops clip_ops confusion_matrix control_flow_ops ctc_ops "
        "custom_gradient data_flow_ops embedding_ops functional_ops gen_array_ops gen_candidate_sampling_ops "
        "gen_control_flow_ops gen_ctc_ops gen_data_flow_ops gen_dataset_ops gen_functional_ops gen_image_ops "
        "gen_io_ops gen_linalg_ops gen_logging_ops gen_lookup_ops gen_math_ops gen_nn_ops gen_parsing_ops "
        "gen_random_ops gen_resource_variable_ops gen_set_ops gen_sparse_ops gen_spectral_ops gen_state_ops "
        "gen_stateless_random_ops gen_string_ops gen_training_ops gradients gradients_impl image_ops image_ops_impl "
        "init_ops io_ops linalg_ops linalg_ops_impl logging_ops lookup_ops map_fn math_ops metrics metrics_impl nn "
        "nn_impl nn_ops parsing_ops partitioned_variables random_ops resource_variable_ops rnn rnn_cell rnn_cell_impl "
        "rnn_cell_wrapper_impl script_ops sets sets_impl sort_ops sparse_ops special_math_ops standard_ops state_ops "
        "stateless_random_ops string_ops template tensor_array_ops variable_scope variables weights_broadcast_ops",
    "ops.losses": "loss_reduction losses losses_impl util",
    "platform": "app flags gfile sysconfig tf_logging",
    "saved_model":
        "builder builder_impl loader loader_impl main_op main_op_impl saved_model signature_constants "
        "signature_def_utils signature_def_utils_impl simple_save tag_constants utils utils_impl",
    "summary": "summary summary_iterator",
    "training":
        "adadelta adagrad adagrad_da adam basic_session_run_hooks checkpoint_management checkpoint_utils coordinator "
        "device_setter ftrl gradient_descent input learning_rate_decay momentum monitored_session moving_averages "
        "optimizer proximal_adagrad proximal_gradient_descent queue_runner queue_runner_impl rmsprop saver server_lib "
        "session_manager session_run_hook summary_io supervisor sync_replicas_optimizer training training_util",
    "util": "compat nest",
}
PATHS = {"python"} | {"python." + package for package in _MODULES} | {
    "python.%s.%s" % (package, name) for package, names in _MODULES.items() for name in names.split()}

# Where the public names of a module are, if not in the public module of its name or of the names before _ops and _impl.
_PUBLIC = {
    "base": "layers", "builder": "saved_model.builder", "convolutional": "layers", "core": "layers", "dataset": "data",
    "iterator": "data", "loader": "saved_model.loader", "main_op": "saved_model.main_op", "normalization": "layers",
    "pooling": "layers", "readers": "data", "rnn": "nn", "rnn_cell": "nn.rnn_cell", "rnn_cell_wrapper": "nn.rnn_cell",
    "signature_constants": "saved_model.signature_constants", "signature_def_utils": "saved_model.signature_def_utils",
    "simple_save": "saved_model", "string": "strings", "tag_constants": "saved_model.tag_constants",
    "tf_logging": "logging", "tf_record": "python_io", "utils": "saved_model.utils"}
_ANYWHERE = ("", "nn", "train", "math", "estimator", "feature_column")


def public_names(path, name):
    """The public names that |name| of the module |path| may have."""
    own = path.rpartition(".")[2]
    for suffix in "_ops", "_impl":
        own = own[:-len(suffix)] if own.endswith(suffix) else own
    return [module + "." + name if module else name for module in (_PUBLIC.get(own, own), *_ANYWHERE)]
