"""Other names of public objects: those of tf.contrib, of TensorFlow's inner modules, and of early versions."""

_SAME = {  # a module's names that have the same last part in a public module
    ("contrib.data", "data"): "AUTOTUNE Dataset FixedLengthRecordDataset Iterator Options TFRecordDataset TextLineDataset",
    ("contrib.data", "data.experimental"):
        "AUTOTUNE RandomDataset get_single_element make_batched_features_dataset make_csv_dataset make_saveable_from_iterator "
        "rejection_resample scan CheckpointInputPipelineHook",
    ("contrib.distribute", "distribute"): "MirroredStrategy OneDeviceStrategy get_strategy has_strategy",
    ("contrib.framework", "train"): "get_global_step assert_global_step create_global_step",
    ("contrib.framework", ""): "argsort sort",
    ("contrib.learn", "estimator"): "RunConfig",
    ("contrib.learn.learn_runner", "contrib.learn"): "run",
    ("contrib.lookup", "lookup"): "StaticHashTable StaticVocabularyTable",
    ("contrib.nn", "nn"): "sampled_sparse_softmax_loss",
    ("contrib.saved_model", "saved_model"): "simple_save",
    ("contrib.signal", "signal"):
        "fft frame hamming_window hann_window inverse_stft overlap_and_add stft linear_to_mel_weight_matrix "
        "mfccs_from_log_mel_spectrograms",
    ("contrib.staging", "python.ops.data_flow_ops"): "StagingArea",
    ("contrib.summary", "summary"): "FileWriter",
    ("contrib.tpu", "estimator.tpu"): "InputPipelineConfig RunConfig TPUConfig TPUEstimator TPUEstimatorSpec",
    ("contrib.training", "train"): "checkpoints_iterator",
    ("python.ops.lookup_ops", "contrib.lookup"):
        "index_table_from_file index_table_from_tensor index_to_string_table_from_file index_to_string_table_from_tensor",
    ("python.ops.losses.util", "losses"):
        "add_loss get_losses get_regularization_losses get_regularization_loss get_total_loss",
    ("python.platform.googletest", "test"): "TestCase main",
    ("python.platform.test", "test"): "TestCase main mock get_temp_dir is_gpu_available gpu_device_name",
    ("python.util.nest", "nest"): "flatten is_nested map_structure pack_sequence_as assert_same_structure",
}
_OTHER = {
    "VariableV1": "Variable", "python.ops.variables.VariableV1": "Variable",
    "python.ops.variables.RefVariable": "Variable",
    "concat_v2": "concat", "contrib.cluster_resolver.TPUClusterResolver": "distribute.cluster_resolver.TPUClusterResolver",
    "contrib.framework.nest.is_sequence": "nest.is_nested", "contrib.layers.summaries": "contrib.layers.summarize_tensors", "contrib.metrics.streaming_accuracy": "metrics.accuracy",
    "contrib.metrics.streaming_auc": "metrics.auc",
    "contrib.metrics.streaming_mean": "metrics.mean", "contrib.metrics.streaming_mean_iou": "metrics.mean_iou",
    "contrib.metrics.streaming_mean_absolute_error": "metrics.mean_absolute_error",
    "contrib.metrics.streaming_mean_squared_error": "metrics.mean_squared_error",
    "contrib.metrics.streaming_precision": "metrics.precision", "contrib.metrics.streaming_recall": "metrics.recall",
    "contrib.metrics.streaming_root_mean_squared_error": "metrics.root_mean_squared_error",
    "contrib.metrics.streaming_sparse_recall_at_k": "metrics.recall_at_k",
    "contrib.slim.assign_from_checkpoint": "contrib.framework.assign_from_checkpoint",
    "contrib.slim.get_global_step": "train.get_global_step", "contrib.slim.optimize_loss": "contrib.layers.optimize_loss",
    "contrib.slim.get_or_create_global_step": "train.get_or_create_global_step",
    "contrib.slim.create_global_step": "train.create_global_step", "contrib.slim.l2_loss": "nn.l2_loss",
    "initialize_variables": "variables_initializer", 
    "python.framework.tensor_util.constant_value": "contrib.util.constant_value",
    "python.framework.tensor_util.make_tensor_proto": "make_tensor_proto",
    "python.framework.tensor_util.MakeNdarray": "make_ndarray", "python.layers.utils.smart_cond":
    "python.framework.smart_cond.smart_cond", "python.lib.io.file_io.FileIO": "gfile.GFile",
    "python.lib.io.file_io.create_dir": "gfile.MkDir", "python.lib.io.file_io.file_exists": "gfile.Exists",
    "python.lib.io.file_io.get_matching_files": "gfile.Glob", "python.lib.io.file_io.list_directory": "gfile.ListDirectory",
    "python.lib.io.file_io.is_directory": "gfile.IsDirectory", "python.lib.io.file_io.copy": "gfile.Copy",
    "python.lib.io.file_io.delete_file": "gfile.Remove", "python.lib.io.file_io.delete_recursively": "gfile.DeleteRecursively",
    "python.lib.io.file_io.recursive_create_dir": "gfile.MakeDirs", "python.lib.io.file_io.rename": "gfile.Rename",
    "python.lib.io.file_io.stat": "gfile.Stat", "python.lib.io.file_io.walk": "gfile.Walk",
    "python.pywrap_tensorflow.NewCheckpointReader": "train.NewCheckpointReader",
    "pywrap_tensorflow.NewCheckpointReader": "train.NewCheckpointReader",
    "python.util.nest.is_sequence": "nest.is_nested", "tensor_scatter_nd_update": "tensor_scatter_update",
}
ALIASES = dict(_OTHER)
for (_where, _public), _names in _SAME.items():
    for _name in _names.split():
        ALIASES.setdefault(_where + "." + _name, _public + "." + _name if _public else _name)
