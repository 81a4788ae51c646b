// What a push does: assign, sum, or the rule of an optimizer with its hyper-parameters. Described by a text:
//
//   assign
//   sum
//   Adam learning_rate=0.001 beta1=0.9 beta2=0.999 epsilon=1e-8
//   library:clipped.so 0.1 5
//
// The names of the rules are those of the ops without "Apply", those of the hyper-parameters TensorFlow's. Immutable
// after parsing. Thread-safe.
#ifndef SLI_OPS_EMBEDDING_UPDATER_H_
#define SLI_OPS_EMBEDDING_UPDATER_H_

#include "base/status.h"
#include "base/string.h"
#include "ops/common/accumulate.h"
#include "ops/train/rules.h"
#include "sluice/updater.h"

enum { SLI_UPDATER_MAX_SLOTS = 3 };

typedef struct {
  sli_rule_fn_t rule;        // NULL: |user|, or |operation|
  const sl_updater_t *user;  // of a library; NULL: none
  void *state;               // of |user|
  sli_accumulate_op_t operation;
  const char *name;  // static; different for each rule
  int slot_count;
  double initial[SLI_UPDATER_MAX_SLOTS];  // values of the slots at first
  sli_rule_scalars_t scalars;
} sli_updater_t;

extern const sli_updater_t sli_updater_assign, sli_updater_sum;

// Parses |text|. INVALID_ARGUMENT names what is wrong and what there is; UNIMPLEMENTED for a rule that has no code for
// |dtype|.
sli_status_t *sli_updater_parse(sli_view_t text, sli_dtype_t dtype, sli_updater_t *out_updater);
// Frees the state of a library's updater.
void sli_updater_deinitialize(sli_updater_t *updater);
// Whether it updates values by a rule, with a number of steps and perhaps slots.
static inline bool sli_updater_has_steps(const sli_updater_t *updater) { return updater->rule || updater->user; }
// Sets the slots, of |count| elements each, to their initial values.
void sli_updater_fill_slots(const sli_updater_t *updater, sli_dtype_t dtype, void *slots, int64_t count);
// Updates elements [first, first + count) of a value and its slots, which follow each other with |stride| elements
// each. |step| is the number of this update of the value, from 1. |from| is aligned.
void sli_updater_apply(const sli_updater_t *updater, sli_dtype_t dtype, void *value, void *slots, int64_t stride,
                       const void *from, int64_t first, int64_t count, uint64_t step);

#endif  // SLI_OPS_EMBEDDING_UPDATER_H_
