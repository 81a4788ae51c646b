// RandomIndexShuffle: the place of |index| in a permutation of [0, max_index] that the seed selects. A block cipher
// permutes the numbers of a power of two (R. Beaulieu et al., "The Simon and Speck families of lightweight block
// ciphers", 2013, with few rounds); a result above |max_index| is encrypted again (J. Black and P. Rogaway, "Ciphers
// with arbitrary finite domains", 2002).
#include <math.h>
#include <stdlib.h>

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

enum { KEY_WORDS = 3, LEAST_BLOCK = 16, MOST_ROUNDS = 1024 };

// A cipher on words of |bits| bits; a block is two words.
typedef struct {
  int bits, rounds;
  uint64_t mask, keys[MOST_ROUNDS];
} cipher_t;

static uint64_t rotate(const cipher_t *cipher, uint64_t x, int by) {
  return ((x << by) | (x >> (cipher->bits - by))) & cipher->mask;
}

static void schedule(cipher_t *cipher, int bits, int rounds, const uint32_t key[KEY_WORDS]) {
  uint64_t constants = UINT64_C(0x7369f885192c0ef5);
  cipher->bits = bits;
  cipher->rounds = rounds;
  cipher->mask = (UINT64_C(1) << bits) - 1;
  constants &= cipher->mask;
  for (int i = 0; i < KEY_WORDS; i++) cipher->keys[i] = key[i] & cipher->mask;
  for (int i = KEY_WORDS; i < rounds; i++) {
    uint64_t last = cipher->keys[i - 1];
    cipher->keys[i] = (UINT64_C(0xfffffffc) & cipher->mask) ^ (constants & 1) ^ cipher->keys[i - 3] ^
                      rotate(cipher, last, bits - 3) ^ rotate(cipher, last, bits - 4);
    constants >>= 1;
  }
}

static uint64_t mix(const cipher_t *cipher, uint64_t x) {
  return (rotate(cipher, x, 1) & rotate(cipher, x, 8 % cipher->bits)) ^ rotate(cipher, x, 2);
}

static uint64_t encrypt(const cipher_t *cipher, uint64_t value) {
  uint64_t left = value >> cipher->bits & cipher->mask, right = value & cipher->mask;
  for (int i = 0; i < cipher->rounds; i += 2) {
    left ^= mix(cipher, right) ^ cipher->keys[i];
    right ^= mix(cipher, left) ^ cipher->keys[i + 1];
  }
  return left << cipher->bits | right;
}

static uint64_t shuffle(cipher_t *cipher, uint64_t index, const uint32_t key[KEY_WORDS], uint64_t most, int rounds) {
  if (most == 0) return 0;
  int block = (int)ceil(log2((double)most));
  block += block % 2;
  if (block < LEAST_BLOCK) block = LEAST_BLOCK;
  if (block > 64) block = 64;
  schedule(cipher, block / 2, rounds, key);
  do index = encrypt(cipher, index);
  while (index > most);
  return index;
}

static uint64_t word_at(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_INT32: return (uint64_t)(int64_t)SLI_DATA(int32_t, tensor)[i];
    case SLI_DTYPE_UINT32: return SLI_DATA(uint32_t, tensor)[i];
    default: return SLI_DATA(uint64_t, tensor)[i];
  }
}

static sli_status_t *check_shapes(const sli_tensor_t *index, const sli_tensor_t *seed, const sli_tensor_t *most,
                                  int64_t count) {
  if (index->rank != 0 && (index->rank != 1 || index->dims[0] != count))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Index bust be a scalar or vector.");
  bool one = seed->rank == 1 && seed->dims[0] == 3;
  bool many = seed->rank == 2 && seed->dims[0] == count && seed->dims[1] == 3;
  char *text = NULL;
  sli_status_t *status = NULL;
  if (!one && !many) {
    text = sli_shape_to_text(sli_tensor_shape(seed));
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Seed must be a vector of size [3] or a matrix of size [%lld, 3] but got %s.",
                             (long long)count, text);
  } else if (most->rank != 0 && (most->rank != 1 || most->dims[0] != count)) {
    text = sli_shape_to_text(sli_tensor_shape(most));
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Maxval must be a scalar or a vector of the same size as index but got %s", text);
  }
  free(text);
  return status;
}

static sli_status_t *index_shuffle(sli_kernel_context_t *context) {
  const sli_tensor_t *index = sli_kernel_input(context, 0), *seed = sli_kernel_input(context, 1);
  const sli_tensor_t *most = sli_kernel_input(context, 2);
  sli_tensor_t *output;
  int64_t rounds, count = index->count > most->count ? index->count : most->count;
  if (seed->count / KEY_WORDS > count) count = seed->count / KEY_WORDS;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "rounds", &rounds));
  if (rounds < 4 || rounds % 2 != 0 || rounds > MOST_ROUNDS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "rounds must be even, at least 4 and at most %d, got %lld",
                           MOST_ROUNDS, (long long)rounds);
  SLI_RETURN_IF_ERROR(check_shapes(index, seed, most, count));
  bool scalar = index->rank == 0 && seed->rank == 1 && most->rank == 0;
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, scalar ? SLI_SHAPE_SCALAR : (sli_shape_t){1, &count}, &output));
  bool wide = sli_dtype_size((sli_dtype_t)output->dtype) == 8;
  cipher_t cipher;
  for (int64_t i = 0; i < count; i++) {
    uint64_t value = word_at(index, index->rank ? i : 0), limit = word_at(most, most->rank ? i : 0);
    uint32_t key[KEY_WORDS];
    for (int k = 0; k < KEY_WORDS; k++) key[k] = (uint32_t)word_at(seed, (seed->rank == 1 ? 0 : 3 * i) + k);
    if (value > limit)
      return sli_status_make(SLI_INVALID_ARGUMENT, "index must be at most max_index %llu, got %llu",
                             (unsigned long long)limit, (unsigned long long)value);
    uint64_t place = shuffle(&cipher, value, key, limit, (int)rounds);
    if (wide)
      SLI_DATA(uint64_t, output)[i] = place;
    else
      SLI_DATA(uint32_t, output)[i] = (uint32_t)place;
  }
  return NULL;
}

// Scalars give a scalar; a vector of any of them, a vector.
static sli_status_t *index_shuffle_shape(sli_infer_context_t *c) {
  sli_shape_t index, seed, most;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 0), 1, &index));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 1), 2, &seed));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 2), 1, &most));
  if (index.rank < 0 || seed.rank < 0 || most.rank < 0) return NULL;
  if (index.rank == 0 && seed.rank == 1 && most.rank == 0) {
    sli_infer_set_output(c, 0, SLI_SHAPE_SCALAR);
    return NULL;
  }
  int64_t count = -1;
  if (index.rank == 1) SLI_RETURN_IF_ERROR(sli_infer_merge_dims(count, index.dims[0], &count));
  if (seed.rank == 2) SLI_RETURN_IF_ERROR(sli_infer_merge_dims(count, seed.dims[0], &count));
  if (most.rank == 1) SLI_RETURN_IF_ERROR(sli_infer_merge_dims(count, most.dims[0], &count));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &count));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "RandomIndexShuffle",
     .inputs = "index: dtype, seed: Tseed, max_index: dtype",
     .outputs = "output: dtype",
     .attrs = "rounds: int = 4; dtype: {int32, uint32, int64, uint64}; Tseed: {int32, uint32, int64, uint64}",
     .shape = index_shuffle_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RandomIndexShuffle",
     .where = {{"dtype", SLI_TYPE_INT32 | SLI_TYPE_INT64 | SLI_TYPE_UINT32 | SLI_TYPE_UINT64}},
     .compute = index_shuffle},
};

SLI_OP_MODULE(index_shuffle);
