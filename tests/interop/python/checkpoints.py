"""checkpoints.py save|restore PATH: three steps of training and a checkpoint, or what the newest checkpoint holds."""
import os
import sys

try:
    import tensorflow.compat.v1 as tf
    if hasattr(tf, "disable_v2_behavior"):
        tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf

what, path = sys.argv[1:]
with tf.variable_scope("model"):
    w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [2], tf.float64, initializer=tf.zeros_initializer())
step = tf.train.get_or_create_global_step()
loss = tf.reduce_sum(tf.square(tf.cast(w, tf.float64) - 3.0 + b))
train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
saver = tf.train.Saver(sharded=True, max_to_keep=2)
with tf.Session() as session:
    if what == "save":
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
            saver.save(session, path, global_step=step)
        assert len(tf.train.get_checkpoint_state(os.path.dirname(path)).all_model_checkpoint_paths) == 2
        assert not os.path.exists(path + "-1.index") and os.path.exists(path + "-3.meta")
    else:
        saver.restore(session, tf.train.latest_checkpoint(os.path.dirname(path)))
    for v in sorted(tf.global_variables(), key=lambda v: v.name):
        print(v.name, session.run(v).ravel().round(5).tolist())
    print("step", session.run(step))
