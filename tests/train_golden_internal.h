// Compares a graph that the training library built with a listing that
// tests/golden/train/listing.py wrote from TensorFlow's Python library.
#ifndef SLI_TESTS_TRAIN_GOLDEN_INTERNAL_H_
#define SLI_TESTS_TRAIN_GOLDEN_INTERNAL_H_

#include "sluice/sluice.h"

// Each node of tests/golden/train/|listing|.txt must be in the graph as it is there: op, device, inputs, group and
// attributes. The graph may have more nodes. The scope must have no error.
void sli_expect_listing(sl_scope_t *scope, const char *listing);

// A server object of worker 1 of two, beside two ps tasks, that does not serve.
sl_server_t *sli_test_idle_server(void);
// The same of worker |index| of |workers|.
sl_server_t *sli_test_idle_task(int workers, int index);

// Runs |outputs| in a new local session, after |initializer| (NULL: none) in the same; each value, converted to double,
// is written to |out_values| one after the other. Returns how many values there were; a failure is the test's.
size_t sli_test_run(sl_scope_t *scope, TF_Operation *initializer, const TF_Output *outputs, size_t count,
                    double *out_values, size_t capacity);

// The numbers in the line of tests/golden/train/|file|.txt that starts with |name|, at most |capacity|. Returns how
// many there are; 0 is a failure of the test.
size_t sli_golden_numbers(const char *file, const char *name, double *out_values, size_t capacity);
// Fills all trainable variables with sin(1), sin(2), …, then compares |outputs| and the gradients of the sum of their
// squares with respect to those variables with the line |name| of |file|, which listing.py wrote.
void sli_expect_values(sl_scope_t *scope, sl_outputs_t outputs, const char *file, const char *name);

#endif  // SLI_TESTS_TRAIN_GOLDEN_INTERNAL_H_
