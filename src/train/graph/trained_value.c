#include "train/graph/trained_value.h"

#include <stdlib.h>

#include "base/alloc.h"

void sli_train_value_add(sl_scope_t *scope, sli_train_value_t value) {
  sli_train_value_t *own = sli_malloc(sizeof(*own));
  *own = value;
  sli_scope_own(scope, own, free);
  sli_array_push(&scope->trained, own);
}

void sli_train_value_apply_all(sl_scope_t *scope, sli_operations_t *out_updates) {
  for (size_t i = 0; i < scope->trained.count && sli_scope_ok(scope); i++) {
    sli_train_value_t *value = scope->trained.items[i];
    if (!value->gradient.oper) continue;
    TF_Operation *update = value->apply(scope, value->context, value->gradient);
    value->gradient = (TF_Output){0};
    if (update) sli_array_push(out_updates, update);
  }
}

void sli_train_state_add(sl_scope_t *scope, sli_train_state_t state) {
  sli_train_state_t *own = sli_malloc(sizeof(*own));
  *own = state;
  sli_scope_own(scope, own, free);
  sli_array_push(&scope->states, own);
}

void sli_train_state_save_all(sl_scope_t *scope, TF_Output prefix, sli_operations_t *out_operations) {
  for (size_t i = 0; i < scope->states.count && sli_scope_ok(scope); i++) {
    TF_Operation *save = scope->states.items[i]->save(scope, scope->states.items[i]->context, prefix);
    if (save) sli_array_push(out_operations, save);
  }
}

void sli_train_state_restore_all(sl_scope_t *scope, TF_Output prefix, sli_operations_t *out_operations) {
  for (size_t i = 0; i < scope->states.count && sli_scope_ok(scope); i++) {
    TF_Operation *restore = scope->states.items[i]->restore(scope, scope->states.items[i]->context, prefix);
    if (restore) sli_array_push(out_operations, restore);
  }
}
