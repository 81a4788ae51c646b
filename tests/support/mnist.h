// A small data set in the format of MNIST, which a model learns quickly.
#ifndef SLI_TESTS_SUPPORT_MNIST_H_
#define SLI_TESTS_SUPPORT_MNIST_H_

// Makes |directory| with the four idx files: 200 images each for training and testing, in which the position of two
// bright rows is the class.
void mnist_make(const char *directory);
// The same with stripes whose width is the class: shifted or mirrored images keep it.
void mnist_make_stripes(const char *directory);

#endif  // SLI_TESTS_SUPPORT_MNIST_H_
