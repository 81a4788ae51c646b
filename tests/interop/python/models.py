"""Writes and reads models with the module tensorflow, whichever that is: models.py save|load DIRECTORY

A checkpoint with its meta graph, a saved model with two signatures and a vocabulary, a frozen graph.
"""
import os
import sys

from recording import tf


def build():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
    with tf.variable_scope("resource", use_resource=True):
        b = tf.get_variable("b", initializer=[0.5, 1.5])
    step = tf.train.get_or_create_global_step()
    y = tf.add(tf.matmul(x, w), b, name="y")
    numbers = tf.data.make_initializable_iterator(tf.data.Dataset.range(3).map(lambda n: n * 2))
    tf.add_to_collection("next", tf.identity(numbers.get_next(), name="next"))
    tf.add_to_collection("begin", numbers.initializer)
    tf.add_to_collection("texts", "some text")
    queue = tf.train.range_input_producer(4, shuffle=False)
    tf.add_to_collection("dequeued", queue.dequeue())
    return x, y, w, b, step


def save(folder):
    x, y, w, b, step = build()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([w.assign_add(tf.ones([2, 2])), step.assign(7)])
        tf.train.Saver().save(session, os.path.join(folder, "model"), global_step=step)
        builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(folder, "saved"))
        signature = tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": y})
        other = tf.saved_model.build_signature_def({"in": tf.saved_model.utils.build_tensor_info(x)},
                                                   {"out": tf.saved_model.build_tensor_info(y)}, "other")
        builder.add_meta_graph_and_variables(session, [tf.saved_model.tag_constants.SERVING], {
            tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature, "other": other},
            main_op=tf.group(tf.assign(step, 9), name="main"))
        builder.save()
        tf.saved_model.simple_save(session, os.path.join(folder, "simple"), {"x": x}, {"y": y})
        frozen = tf.graph_util.convert_variables_to_constants(session, session.graph_def, ["y"])
        tf.train.write_graph(frozen, folder, "frozen.pb", as_text=False)
        tf.io.write_graph(frozen, folder, "frozen.pbtxt")


def show(label, *values):
    print(label, [v.tolist() if hasattr(v, "tolist") else v for v in values])


def load(folder):
    data = {"x:0": [[1.0, 1.0]]}
    with tf.Graph().as_default(), tf.Session() as session:
        path = tf.train.latest_checkpoint(folder)
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(session, path)
        show("meta graph", session.run("y:0", data), *session.run(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)))
        print(sorted(v.name for v in tf.trainable_variables()), tf.get_collection("texts"), tf.train.get_global_step().name)
        session.run(tf.get_collection("begin"))
        show("dataset", *[session.run(tf.get_collection("next")[0]) for _ in range(3)])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        show("queue", *[session.run(tf.get_collection("dequeued")[0]) for _ in range(3)])
        coordinator.request_stop()
        coordinator.join(threads)
    for name in "saved", "simple":
        with tf.Graph().as_default(), tf.Session() as session:
            model = tf.saved_model.loader.load(session, ["serve"], os.path.join(folder, name))
            signature = model.signature_def["serving_default"]
            assert tf.saved_model.is_valid_signature(signature)
            outputs = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: [[1.0, 1.0]]})
            show(name, outputs, session.run(tf.train.get_global_step()))
            print(sorted(model.signature_def))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        with tf.gfile.GFile(os.path.join(folder, "frozen.pb"), "rb") as file:
            graph_def = tf.GraphDef.FromString(file.read())
        y, = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
        again, op = tf.import_graph_def(graph_def, {"x": tf.constant([[2.0, 0.0]])}, ["y:0", "w/read"], name="again")
        show("frozen", session.run(y, data), session.run(again))
        print(op.name, [n.name for n in graph.get_operations() if n.type == "Const"])


if __name__ == "__main__":
    {"save": save, "load": load}[sys.argv[1]](sys.argv[2])
