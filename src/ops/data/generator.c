// GeneratorDataset: elements that functions make: one for the state of a pass, one for each element, one at the end.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/dataset.h"

typedef struct {
  sli_dataset_t base;
  sli_dataset_function_t init, next, finalize;
} generator_t;

typedef struct {
  sli_iterator_t base;
  sli_tensor_t **state;  // counted; NULL: not started
  bool has_ended;
} generating_t;

static void generator_destroy(sli_dataset_t *dataset) {
  generator_t *self = (generator_t *)dataset;
  sli_dataset_function_deinitialize(&self->init);
  sli_dataset_function_deinitialize(&self->next);
  sli_dataset_function_deinitialize(&self->finalize);
}

static int64_t generator_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_UNKNOWN; }

static int state_count(const generator_t *self) { return self->init.function->result_count; }

static sli_status_t *finalize(const generator_t *self, generating_t *state, const sli_iterator_call_t *call) {
  sli_tensor_t *results[SLI_DATASET_MAX_COMPONENTS];
  state->has_ended = true;
  SLI_RETURN_IF_ERROR(sli_dataset_function_call(&self->finalize, call, state->state, state_count(self), results));
  sli_dataset_release_element(results, self->finalize.function->result_count);
  return NULL;
}

// A pass that ends early is finalized, too. Its background work was cancelled, so that nothing can cancel this call.
static void generator_stop(sli_iterator_t *iterator) {
  const generator_t *self = (const generator_t *)iterator->dataset;
  generating_t *state = (generating_t *)iterator;
  if (!state->state) return;
  if (!state->has_ended) {
    sli_cancellation_t *cancellation = sli_cancellation_create();
    sli_iterator_call_t call = {cancellation};
    sli_status_release(finalize(self, state, &call));
    sli_cancellation_release(cancellation);
  }
  sli_dataset_release_element(state->state, state_count(self));
  free(state->state);
}

static sli_status_t *generator_next(sli_iterator_t *iterator, const sli_iterator_call_t *call,
                                    sli_tensor_t **out_element, bool *out_end) {
  const generator_t *self = (const generator_t *)iterator->dataset;
  generating_t *state = (generating_t *)iterator;
  if (!state->state) {
    sli_tensor_t *results[SLI_DATASET_MAX_COMPONENTS];
    SLI_RETURN_IF_ERROR(sli_dataset_function_call(&self->init, call, NULL, 0, results));
    state->state = sli_calloc((size_t)state_count(self) + 1, sizeof(results[0]));
    for (int i = 0; i < state_count(self); i++) state->state[i] = results[i];
  }
  *out_end = state->has_ended;
  if (*out_end) return NULL;
  sli_status_t *status = sli_dataset_function_call(&self->next, call, state->state, state_count(self), out_element);
  status = sli_dataset_function_ends(status, false, out_end);
  return !status && *out_end ? finalize(self, state, call) : status;
}

static sli_status_t *generator_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  return sli_status_make(SLI_UNIMPLEMENTED, "GeneratorDataset does not support checkpointing.");
}

static const sli_dataset_kind_t generator_kind = {.name = "GeneratorDataset",
                                                  .iterator_size = sizeof(generating_t),
                                                  .destroy = generator_destroy,
                                                  .cardinality = generator_cardinality,
                                                  .next = generator_next,
                                                  .stop = generator_stop,
                                                  .save = generator_save};

static sli_status_t *read_functions(sli_kernel_context_t *context, generator_t *self) {
  SLI_RETURN_IF_ERROR(sli_dataset_function_initialize(context, "init_func", "init_func_other_args", &self->init));
  SLI_RETURN_IF_ERROR(sli_dataset_function_initialize(context, "next_func", "next_func_other_args", &self->next));
  SLI_RETURN_IF_ERROR(
      sli_dataset_function_initialize(context, "finalize_func", "finalize_func_other_args", &self->finalize));
  SLI_RETURN_IF_ERROR(sli_dataset_check_count((size_t)state_count(self)));
  SLI_RETURN_IF_ERROR(sli_dataset_check_count((size_t)self->finalize.function->result_count));
  SLI_RETURN_IF_ERROR(sli_dataset_function_check(&self->init, 0, -1));
  SLI_RETURN_IF_ERROR(sli_dataset_function_check(&self->next, state_count(self), self->base.component_count));
  return sli_dataset_function_check(&self->finalize, state_count(self), -1);
}

static sli_status_t *generator_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &generator_kind, sizeof(generator_t), NULL, 0, &dataset));
  sli_status_t *status = read_functions(context, (generator_t *)dataset);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "GeneratorDataset",
        .inputs = "init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, "
                  "finalize_func_other_args: Tfinalize_func_args",
        .outputs = "handle: variant",
        .attrs =
            "init_func: func; next_func: func; finalize_func: func; Tinit_func_args: list(type) >= 0; Tnext_func_args: "
            "list(type) >= 0; Tfinalize_func_args: list(type) >= 0; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Elements that functions make.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "GeneratorDataset",
     .compute = generator_dataset,
     .create = sli_dataset_library_create,
     .destroy = sli_dataset_library_destroy},
};

SLI_OP_MODULE(data_generator);
