"""tf.contrib.tensorboard.plugins.projector: what TensorBoard shows of embeddings."""
import os

from sluice._api import export


class _Sprite:
    def __init__(self):
        self.image_path, self.single_image_dim = "", []


class _Embedding:
    def __init__(self):
        self.tensor_name = self.metadata_path = self.bookmarks_path = self.tensor_path = ""
        self.tensor_shape, self.sprite = [], _Sprite()


class _Embeddings(list):
    def add(self):
        self.append(_Embedding())
        return self[-1]


@export("contrib.tensorboard.plugins.projector.ProjectorConfig")
class ProjectorConfig:
    """Which embeddings to show."""

    def __init__(self):
        self.model_checkpoint_path, self.model_checkpoint_dir, self.embeddings = "", "", _Embeddings()

    def __str__(self):
        lines = ['model_checkpoint_path: "%s"' % self.model_checkpoint_path] if self.model_checkpoint_path else []
        for one in self.embeddings:
            lines.append("embeddings {")
            for key in "tensor_name", "metadata_path", "bookmarks_path":
                if getattr(one, key):
                    lines.append('  %s: "%s"' % (key, getattr(one, key)))
            lines += ["  tensor_shape: %d" % size for size in one.tensor_shape]
            if one.sprite.image_path:
                lines += ["  sprite {", '    image_path: "%s"' % one.sprite.image_path]
                lines += ["    single_image_dim: %d" % size for size in one.sprite.single_image_dim] + ["  }"]
            if one.tensor_path:
                lines.append('  tensor_path: "%s"' % one.tensor_path)
            lines.append("}")
        return "".join(line + "\n" for line in lines)


@export("contrib.tensorboard.plugins.projector.visualize_embeddings")
def visualize_embeddings(summary_writer, config):
    """Writes projector_config.pbtxt into the directory of the summaries."""
    folder = summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "projector_config.pbtxt"), "w", encoding="utf-8") as out:
        out.write(str(config))
