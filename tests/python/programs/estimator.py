"""An estimator with a model function of its own: estimator.py MODEL_DIR, as one task of what TF_CONFIG says."""
import sys

import numpy as np
import tensorflow as tf


def input_fn(count=None):
    x = np.linspace(-1.0, 1.0, 64).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices(({"x": x}, 2.0 * x + 1.0))
    return data.repeat(count).batch(16)


def model_fn(features, labels, mode, params):
    hidden = tf.layers.dense(features["x"][:, None], params["units"], name="hidden")
    y = tf.layers.dense(hidden, 1, name="out")[:, 0]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            "error": tf.metrics.mean_absolute_error(labels, y)})
    train_op = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    config = tf.estimator.RunConfig(save_checkpoints_steps=100, tf_random_seed=1, experimental_max_worker_delay_secs=1)
    estimator = tf.estimator.Estimator(model_fn, sys.argv[1], config, {"units": 4})
    train = tf.estimator.TrainSpec(input_fn, max_steps=300)
    evaluation = tf.estimator.EvalSpec(lambda: input_fn(1), steps=None, start_delay_secs=0, throttle_secs=0)
    results = tf.estimator.train_and_evaluate(estimator, train, evaluation)
    if results is not None:
        print("error %.3f at step %d" % (results[0]["error"], results[0]["global_step"]))
    print("%s %d is done" % (config.task_type, config.task_id))


if __name__ == "__main__":
    main()
