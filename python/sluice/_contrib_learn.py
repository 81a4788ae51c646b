"""tf.contrib.learn.preprocessing: words as numbers."""
import collections
import json
import re

import numpy as np
import sluice as tf
from sluice._api import export

_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+")


@export("contrib.learn.preprocessing.tokenizer")
def tokenizer(iterator):
    """The words of each text."""
    for text in iterator:
        yield _WORD.findall(text)


@export("contrib.learn.preprocessing.CategoricalVocabulary")
class CategoricalVocabulary:
    """Numbers of words, in the order in which they came; 0 is a word that is not known."""

    def __init__(self, unknown_token="<UNK>", support_reverse=True):
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._freq, self._freeze = collections.Counter(), False
        self._number([])

    def _number(self, words):
        self._reverse_mapping = [self._unknown_token, *words]
        self._mapping = {word: i for i, word in enumerate(self._reverse_mapping)}

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        """Later words are not known."""
        self._freeze = freeze

    def get(self, category):
        if category not in self._mapping and not self._freeze:
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping.get(category, 0)

    def add(self, category, count=1):
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency, max_frequency=-1):
        """Keeps words that came more often than |min_frequency| times and less often than |max_frequency|: the most frequent
        ones first."""
        rows = sorted(self._freq.items(), key=lambda row: (-row[1], isinstance(row[0], str), row[0]))
        rows = [row for row in rows if row[1] > min_frequency and not 0 < max_frequency <= row[1]]
        self._number([word for word, _ in rows])
        self._freq = collections.Counter(dict(rows))

    def reverse(self, class_id):
        """The word with this number."""
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


@export("contrib.learn.preprocessing.VocabularyProcessor")
class VocabularyProcessor:
    """Makes texts rows of |max_document_length| numbers of words."""

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        """Learns the words of texts."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            ids = [self.vocabulary_.get(word) for word in words[:self.max_document_length]]
            row[:len(ids)] = ids
            yield row

    def reverse(self, documents):
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename):
        """Writes a JSON file, not the pickle that TensorFlow writes."""
        if self._tokenizer is not tokenizer:
            raise NotImplementedError("VocabularyProcessor.save(): a tokenizer_fn of the program cannot be saved")
        with tf.gfile.Open(filename, "w") as file:
            file.write(json.dumps({"max_document_length": self.max_document_length, "min_frequency": self.min_frequency,
                                   "words": self.vocabulary_._reverse_mapping}))

    @classmethod
    def restore(cls, filename):
        with tf.gfile.Open(filename, "r") as file:
            saved = json.loads(file.read())
        vocabulary = CategoricalVocabulary(saved["words"][0])
        vocabulary._number(saved["words"][1:])
        vocabulary.freeze()
        return cls(saved["max_document_length"], saved["min_frequency"], vocabulary)
