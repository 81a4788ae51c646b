"""tf.keras.utils, datasets and preprocessing: arrays for models."""
import collections
import os

import numpy as np
from sluice import _mnist
from sluice._api import export

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


@export("keras.utils.to_categorical")
def to_categorical(y, num_classes=None, dtype="float32"):
    """Rows with a 1 at the class."""
    y = np.array(y, dtype="int")
    shape = y.shape[:-1] if y.ndim > 1 and y.shape[-1] == 1 else y.shape
    flat = y.ravel()
    num_classes = num_classes or int(flat.max()) + 1
    made = np.zeros((flat.size, num_classes), dtype=dtype)
    made[np.arange(flat.size), flat] = 1
    return made.reshape((*shape, num_classes))


@export("keras.utils.normalize")
def normalize(x, axis=-1, order=2):
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)


@export("keras.utils.Sequence")
class Sequence:
    """Batches by number."""

    def __getitem__(self, index):
        raise NotImplementedError("__getitem__ of a Sequence")

    def __len__(self):
        raise NotImplementedError("__len__ of a Sequence")

    def on_epoch_end(self):
        pass


@export("keras.utils.get_file")
def get_file(fname, origin, untar=False, md5_hash=None, file_hash=None, cache_subdir="datasets", hash_algorithm="auto",
             extract=False, archive_format="auto", cache_dir=None):
    """The path of a file that is there already: this package downloads nothing."""
    path = os.path.join(cache_dir or os.path.join(os.path.expanduser("~"), ".keras"), cache_subdir, fname)
    if os.path.isabs(fname):
        path = fname
    if not os.path.exists(path):
        raise FileNotFoundError("%s is not there, and this package downloads nothing: fetch it from %s" % (path, origin))
    return path


def _npz(name):
    for folder in os.environ.get("SLUICE_KERAS_DIR"), os.path.join(os.path.expanduser("~"), ".keras", "datasets"):
        path = os.path.join(folder, name) if folder else ""
        if path and os.path.exists(path):
            return path
    return None


@export("keras.datasets.mnist.load_data")
def load_mnist(path="mnist.npz"):
    """((images, labels), (images, labels)) of mnist.npz, or of the four files that SLUICE_MNIST_DIR has."""
    found = path if os.path.exists(path) else _npz(path)
    if found:
        with np.load(found, allow_pickle=False) as data:
            return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])
    return _idx("MNIST_data")


def _idx(folder):
    pairs = []
    for name in "train", "t10k":
        images = _mnist._read(_mnist._find(folder, name + "-images-idx3-ubyte"), 2051, 3)
        labels = _mnist._read(_mnist._find(folder, name + "-labels-idx1-ubyte"), 2049, 1)
        pairs.append((images, labels))
    return tuple(pairs)


@export("keras.datasets.fashion_mnist.load_data")
def load_fashion():
    """The files of ~/.keras/datasets/fashion-mnist."""
    folder = os.path.join(os.path.expanduser("~"), ".keras", "datasets", "fashion-mnist")
    if not os.path.isdir(folder):
        raise FileNotFoundError("%s is not there, and this package downloads nothing: put the four idx files into it" % folder)
    return _idx(folder)


def _archive(name, x="x", y="y"):
    def load(path=name + ".npz", **kwargs):
        found = path if os.path.exists(path) else _npz(path)
        if not found:
            raise FileNotFoundError("%s is not there, and this package downloads nothing: put it into ~/.keras/datasets" % path)
        with np.load(found, allow_pickle=False) as data:
            return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])
    load.__doc__ = "The arrays x_train, y_train, x_test and y_test of a file."
    export("keras.datasets.%s.load_data" % name)(load)


for _name in "cifar10", "cifar100", "imdb", "boston_housing", "reuters":
    _archive(_name)


# --- Preprocessing ---

@export("keras.preprocessing.sequence.pad_sequences")
def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    """Rows of one length."""
    maxlen = max(map(len, sequences)) if maxlen is None else maxlen
    sample = next((np.asarray(s).shape[1:] for s in sequences if len(s)), ())
    made = np.full((len(sequences), maxlen, *sample), value, dtype=dtype)
    for row, values in zip(made, sequences):
        if not len(values):
            continue
        if truncating not in ("pre", "post") or padding not in ("pre", "post"):
            raise ValueError("padding and truncating must be pre or post, got %r and %r" % (padding, truncating))
        kept = np.asarray(values[-maxlen:] if truncating == "pre" else values[:maxlen], dtype=dtype)
        if padding == "post":
            row[:len(kept)] = kept
        else:
            row[len(row) - len(kept):] = kept
    return made


@export("keras.preprocessing.text.text_to_word_sequence")
def text_to_word_sequence(text, filters=_FILTERS, lower=True, split=" "):
    text = text.lower() if lower else text
    return [w for w in text.translate(str.maketrans({c: split for c in filters})).split(split) if w]


@export("keras.preprocessing.text.one_hot")
def one_hot(text, n, filters=_FILTERS, lower=True, split=" "):
    import hashlib
    return [int(hashlib.md5(w.encode()).hexdigest(), 16) % (n - 1) + 1 for w in text_to_word_sequence(text, filters, lower, split)]


@export("keras.preprocessing.text.Tokenizer")
class Tokenizer:
    """Numbers of words, the most frequent ones first."""

    def __init__(self, num_words=None, filters=_FILTERS, lower=True, split=" ", char_level=False, oov_token=None, **kwargs):
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token = char_level, oov_token
        self.word_counts, self.word_docs = collections.OrderedDict(), collections.defaultdict(int)
        self.word_index, self.index_word, self.document_count = {}, {}, 0

    def _words(self, text):
        if self.char_level or isinstance(text, list):
            return [w.lower() for w in text] if self.lower else list(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts):
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        words = sorted(self.word_counts, key=lambda w: -self.word_counts[w])
        words = ([self.oov_token] if self.oov_token is not None else []) + words
        self.word_index = {word: i + 1 for i, word in enumerate(words)}
        self.index_word = {i: word for word, i in self.word_index.items()}

    def texts_to_sequences(self, texts):
        rows = []
        for text in texts:
            row = []
            for word in self._words(text):
                i = self.word_index.get(word)
                if i is None or self.num_words and i >= self.num_words:
                    i = self.word_index.get(self.oov_token) if self.oov_token is not None else None
                if i is not None:
                    row.append(i)
            rows.append(row)
        return rows

    def sequences_to_texts(self, sequences):
        return [" ".join(self.index_word[i] for i in row if i in self.index_word) for row in sequences]

    def sequences_to_matrix(self, sequences, mode="binary"):
        count = self.num_words or len(self.word_index) + 1
        made = np.zeros((len(sequences), count))
        for row, numbers in zip(made, sequences):
            counts = collections.Counter(i for i in numbers if i < count)
            for i, c in counts.items():
                if mode == "binary":
                    row[i] = 1
                elif mode == "count":
                    row[i] = c
                elif mode == "freq":
                    row[i] = c / len(numbers)
                elif mode == "tfidf":
                    documents = self.word_docs[self.index_word[i]] if i in self.index_word else 0
                    row[i] = (1 + np.log(c)) * np.log(1 + self.document_count / (1 + documents))
                else:
                    raise ValueError("Unknown vectorization mode: %s" % mode)
        return made

    def texts_to_matrix(self, texts, mode="binary"):
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)
