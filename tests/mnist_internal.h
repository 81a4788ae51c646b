// A small data set in MNIST's files, which a model learns at once.
#ifndef SLI_TESTS_MNIST_INTERNAL_H_
#define SLI_TESTS_MNIST_INTERNAL_H_

// Makes |directory| with the four idx files: 200 images each for training and testing, in which two bright rows tell
// the class.
void mnist_make(const char *directory);

#endif  // SLI_TESTS_MNIST_INTERNAL_H_
