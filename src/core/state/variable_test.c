// Variables whose bytes another process reads.
#include "core/state/variable.h"

#include <unistd.h>

#include "base/lend.h"
#include "base/test.h"

enum { ELEMENTS = 100000 };

// A variable of ELEMENTS floats |value|, in memory that can be lent.
static sli_variable_t *variable_of(float value) {
  sli_tensor_t *tensor = NULL;
  sli_variable_t *variable = sli_variable_create(SLI_DTYPE_FLOAT, sli_view("v"), SLI_SHAPE_UNKNOWN);
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){ELEMENTS}, 1, &tensor));
  for (int i = 0; i < ELEMENTS; i++) SLI_DATA(float, tensor)[i] = value;
  sli_variable_replace(variable, tensor);
  return variable;
}

// Lends the variable's bytes; false if the allocator has no memory that can be lent (under AddressSanitizer).
static bool lend(sli_variable_t *variable, sli_lend_borrower_t *borrower, sli_lend_note_t *out_note) {
  return sli_lend_to(borrower, variable->tensor->data, sli_tensor_bytes(variable->tensor), "", 0, out_note);
}

SLI_TEST(test_an_update_leaves_lent_bytes_alone) {
  SLI_REQUIRE(sli_lend_start());
  sli_variable_t *variable = variable_of(1);
  sli_lend_borrower_t *borrower = sli_lend_borrower_create(getpid());
  sli_tensor_t *before = sli_variable_read(variable);
  sli_lend_note_t note;
  bool is_lent = lend(variable, borrower, &note);
  sli_tensor_release(before);
  SLI_EXPECT_INT(sli_tensor_is_exclusive(before), !is_lent);
  SLI_EXPECT_OK(sli_variable_leave_lent_memory(variable));
  SLI_EXPECT_INT(variable->tensor != before, is_lent);
  SLI_EXPECT(SLI_DATA(float, variable->tensor)[ELEMENTS - 1] == 1);
  SLI_EXPECT(sli_tensor_is_exclusive(variable->tensor));
  if (is_lent) sli_lend_note_withdraw(&note);
  // No process reads it: the bytes stay in place.
  before = variable->tensor;
  SLI_EXPECT_OK(sli_variable_leave_lent_memory(variable));
  SLI_EXPECT(variable->tensor == before);
  sli_lend_borrower_destroy(borrower);
  sli_variable_release(variable);
}

SLI_TEST(test_an_update_does_not_leave_another_behind) {
  SLI_REQUIRE(sli_lend_start());
  sli_variable_t *variable = variable_of(1);
  sli_lend_borrower_t *borrower = sli_lend_borrower_create(getpid());
  sli_lend_note_t note;
  sli_tensor_t *borrowed = sli_variable_borrow(variable);
  bool is_lent = lend(variable, borrower, &note);
  SLI_EXPECT_OK(sli_variable_leave_lent_memory(variable));
  SLI_EXPECT(variable->tensor == borrowed);
  sli_variable_return(variable, borrowed);
  SLI_EXPECT_OK(sli_variable_leave_lent_memory(variable));
  SLI_EXPECT_INT(variable->tensor != borrowed, is_lent);
  if (is_lent) sli_lend_note_withdraw(&note);
  sli_lend_borrower_destroy(borrower);
  sli_variable_release(variable);
}

SLI_TEST(test_bytes_of_another_process_are_never_exclusive) {
  sli_variable_t *variable = variable_of(1);
  variable->tensor->ownership = SLI_LEND_GIVEN;
  SLI_EXPECT(sli_tensor_is_exclusive(variable->tensor) && !sli_variable_read_shared(variable));
  variable->tensor->ownership = SLI_LEND_LENT;
  SLI_EXPECT(!sli_tensor_is_exclusive(variable->tensor));
  sli_tensor_t *shared = sli_variable_read_shared(variable);
  SLI_EXPECT(shared == variable->tensor);
  sli_tensor_t *view = sli_tensor_view(variable->tensor, SLI_DTYPE_FLOAT, 0, (int64_t[]){2}, 1);
  SLI_EXPECT_INT(view->ownership, SLI_LEND_LENT);
  sli_tensor_release(view);
  sli_tensor_release(shared);
  sli_variable_release(variable);
}

SLI_TEST_MAIN(test_an_update_leaves_lent_bytes_alone, test_an_update_does_not_leave_another_behind,
              test_bytes_of_another_process_are_never_exclusive)
