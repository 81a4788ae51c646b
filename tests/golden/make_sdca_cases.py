#!/usr/bin/env python3
"""Records golden cases of stochastic dual coordinate ascent (cases/sdca). TensorFlow visits examples in random order, so
the examples of a batch share no feature."""
import numpy as np
import tensorflow.compat.v1 as tf

from make_cases import Case
from make_linalg_cases import unknown

raw = tf.raw_ops
LOSSES = ["logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss"]


def typed(key, value):
    return unknown(np.array(value, np.int64 if key.endswith("indices") else np.float32))


def optimize(loss, labels, state, op=None, dense=None, values=True, l1=0.3, l2=2.0, partitions=1, **change):
    """Three examples with sparse features 10, 20 | 30 | 40, 50, or one dense vector each."""
    inputs = dict(
        sparse_example_indices=[[0, 0, 1, 2, 2]], sparse_feature_indices=[[10, 20, 30, 50, 40]],
        sparse_feature_values=[[1.0, -2.0, 0.5, 3.0, 1.5]] if values else [], dense_features=[],
        example_weights=[1.0, 2.0, 0.5], example_labels=labels, sparse_indices=[[50, 40, 30, 20, 10]],
        sparse_weights=[[0.1, -0.2, 0.3, 1.4, -2.5]], dense_weights=[], example_state_data=state)
    if dense is not None:
        inputs.update(dense_features=[dense], dense_weights=[[0.5, -1.5, 0.1]])
    inputs.update(change)
    inputs = {key: [typed(key, v) for v in value] if key.startswith(("sparse", "dense")) else typed(key, value)
              for key, value in inputs.items()}
    inputs["adaptative" if op == raw.SdcaOptimizer else "adaptive"] = False
    out = (op or raw.SdcaOptimizerV2)(loss_type=loss, l1=l1, l2=l2, num_loss_partitions=partitions,
                                      num_inner_iterations=1, **inputs)
    return [out.out_example_state_data] + out.out_delta_sparse_weights + out.out_delta_dense_weights


def sdca():
    case = Case("sdca")
    fresh, used = np.zeros([3, 4], np.float32), np.array([[0.3, 0, 0, 0], [-0.2, 0, 0, 0], [0.6, 1, 2, 3]], np.float32)
    for loss in LOSSES:
        for state in (fresh, used):
            for labels in ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0]):
                case.run(lambda: optimize(loss, labels, state))
                case.run(lambda: optimize(loss, labels, state, dense=np.diag([1.0, 2.0, -3.0]).astype(np.float32),
                                          partitions=3))
        case.run(lambda: optimize(loss, [1.0, 1.0, 0.0], fresh, values=False, op=raw.SdcaOptimizer))
        case.run(lambda: optimize(loss, [1.0, -1.0, 0.0], fresh))
    case.run(lambda: optimize("squared_loss", [2.0, -3.5, 0.0], used, l1=0.0))
    labels = [0.0, 1.0, 1.0]
    for change in (dict(example_labels=[1.0]), dict(example_state_data=fresh[:2]),
                   dict(sparse_feature_indices=[[10, 10, 30, 50, 40]]), dict(sparse_feature_indices=[[10, 11, 30, 50, 40]]),
                   dict(dense_features=[np.ones([3, 4], np.float32)], dense_weights=[[1.0, 2.0, 3.0]])):
        case.run(lambda: optimize("squared_loss", change.pop("example_labels", labels),
                                  change.pop("example_state_data", fresh), **change))

    with case.graph.as_default():
        weights = [tf.Variable([1.0, -2.0, 0.05], use_resource=False), tf.Variable([[0.5], [-0.1]], use_resource=False)]
        with tf.control_dependencies([w.initializer for w in weights]):
            start = tf.constant(1)
    case.again([start])

    def shrink():
        with tf.control_dependencies([raw.SdcaShrinkL1(weights=weights, l1=0.3, l2=2.0)]):
            return [w.read_value() for w in weights]

    fetches = case.run(shrink)
    case.again(fetches)
    case.write()


if __name__ == "__main__":
    sdca()
