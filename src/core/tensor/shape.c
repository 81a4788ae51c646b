#include "core/tensor/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sli_shape_is_fully_known(sli_shape_t shape) {
  for (int i = 0; i < shape.rank; i++)
    if (shape.dims[i] < 0) return false;
  return shape.rank >= 0;
}

bool sli_shape_equal(sli_shape_t a, sli_shape_t b) {
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; i++)
    if (a.dims[i] != b.dims[i]) return false;
  return true;
}

bool sli_shape_is_compatible(sli_shape_t a, sli_shape_t b) {
  if (a.rank < 0 || b.rank < 0) return true;
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; i++)
    if (a.dims[i] >= 0 && b.dims[i] >= 0 && a.dims[i] != b.dims[i]) return false;
  return true;
}

int64_t sli_shape_count(sli_shape_t shape) {
  if (!sli_shape_is_fully_known(shape)) return -1;
  int64_t count = 1;
  bool overflow = false, is_empty = false;
  for (int i = 0; i < shape.rank; i++) {
    is_empty |= shape.dims[i] == 0;
    overflow |= __builtin_mul_overflow(count, shape.dims[i], &count);
  }
  // If any dimension is zero, so is the product, even if it overflowed before.
  if (is_empty) return 0;
  return overflow ? -1 : count;
}

sli_status_t *sli_shape_check_rank(int64_t rank) {
  if (rank <= SLI_MAX_RANK) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "A tensor can have at most %d dimensions, got %lld", SLI_MAX_RANK,
                         (long long)rank);
}

sli_shape_t sli_shape_copy(sli_arena_t *arena, sli_shape_t shape) {
  if (shape.rank <= 0) return (sli_shape_t){shape.rank, NULL};
  int64_t *dims = sli_arena_allocate(arena, (size_t)shape.rank * sizeof(*dims));
  memcpy(dims, shape.dims, (size_t)shape.rank * sizeof(*dims));
  return (sli_shape_t){shape.rank, dims};
}

void sli_shape_append(sli_string_t *string, sli_shape_t shape) {
  if (shape.rank < 0) {
    sli_string_append_text(string, "<unknown>");
    return;
  }
  sli_string_append_char(string, '[');
  for (int i = 0; i < shape.rank; i++) {
    if (i) sli_string_append_char(string, ',');
    if (shape.dims[i] < 0) {
      sli_string_append_char(string, '?');
    } else {
      sli_string_append_format(string, "%lld", (long long)shape.dims[i]);
    }
  }
  sli_string_append_char(string, ']');
}

char *sli_shape_to_text(sli_shape_t shape) {
  sli_string_t text = {0};
  sli_shape_append(&text, shape);
  return sli_string_take(&text);
}

sli_shape_text_t sli_shape_text(sli_shape_t shape) {
  sli_shape_text_t result;
  char *text = sli_shape_to_text(shape);
  if ((size_t)snprintf(result.text, sizeof(result.text), "%s", text) >= sizeof(result.text)) {
    memcpy(result.text + sizeof(result.text) - 5, "…]", 5);
  }
  free(text);
  return result;
}

static sli_status_t *incompatible(sli_shape_t a, sli_shape_t b) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "Incompatible shapes: ");
  sli_shape_append(&text, a);
  sli_string_append_text(&text, " vs. ");
  sli_shape_append(&text, b);
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_shape_broadcast(sli_shape_t a, sli_shape_t b, int64_t *out_dims, int *out_rank) {
  int rank = a.rank > b.rank ? a.rank : b.rank;
  for (int i = 0; i < rank; i++) {
    // Dims are aligned at the right; a missing one counts as 1.
    int64_t x = i < rank - a.rank ? 1 : a.dims[i - (rank - a.rank)];
    int64_t y = i < rank - b.rank ? 1 : b.dims[i - (rank - b.rank)];
    if (x != y && x != 1 && y != 1) return incompatible(a, b);
    out_dims[i] = x == 1 ? y : x;
  }
  *out_rank = rank;
  return NULL;
}
