// What a push does: assign, sum, or the rule of an optimizer with its hyper-parameters. Described by a text:
//
//   assign
//   sum
//   Adam learning_rate=0.001 beta1=0.9 beta2=0.999 epsilon=1e-8
//
// The names of the rules are those of the ops without "Apply", those of the hyper-parameters TensorFlow's. Immutable
// after parsing. Thread-safe.
#ifndef SLI_DIST_STORE_STORE_UPDATER_H_
#define SLI_DIST_STORE_STORE_UPDATER_H_

#include "base/status.h"
#include "base/string.h"
#include "ops/common/accumulate.h"
#include "ops/train/rules.h"

enum { SLI_STORE_UPDATER_MAX_SLOTS = 3 };

typedef struct {
  sli_rule_fn_t rule;  // NULL: |operation|
  sli_accumulate_op_t operation;
  const char *name;  // static
  int slot_count;
  double initial[SLI_STORE_UPDATER_MAX_SLOTS];  // values of the slots at first
  sli_rule_scalars_t scalars;
} sli_store_updater_t;

// Parses |text|. INVALID_ARGUMENT names what is wrong and what there is; UNIMPLEMENTED for a rule that has no code for
// |dtype|.
sli_status_t *sli_store_updater_parse(sli_view_t text, sli_dtype_t dtype, sli_store_updater_t *out_updater);
// Sets the slots, of |count| elements each, to their initial values.
void sli_store_updater_fill_slots(const sli_store_updater_t *updater, sli_dtype_t dtype, void *slots, int64_t count);
// Updates elements [first, first + count) of a value and its slots, which follow each other with |stride| elements
// each. |step| is the number of this update of the value, from 1. |from| is aligned.
void sli_store_updater_apply(const sli_store_updater_t *updater, sli_dtype_t dtype, void *value, void *slots,
                             int64_t stride, const void *from, int64_t first, int64_t count, uint64_t step);

#endif  // SLI_DIST_STORE_STORE_UPDATER_H_
