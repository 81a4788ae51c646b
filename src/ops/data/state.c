// The state of iterators as bytes. A number has 8 bytes, a text its length before it, a tensor is a text that is a
// TensorProto. A dataset is an empty text and then its elements, if it is a list such as a window, or its recipe.
#include "core/tensor/tensor_codec.h"
#include "core/tensor/variant.h"
#include "io/file/coding.h"
#include "ops/data/elements.h"
#include "ops/data/recipe.h"

enum { RECIPE = -1 };  // instead of a number of components

void sli_iterator_write_int(sli_iterator_writer_t *writer, int64_t value) {
  sli_coding_store_u64(sli_string_extend(&writer->bytes, 8), (uint64_t)value);
}

void sli_iterator_write_text(sli_iterator_writer_t *writer, sli_view_t text) {
  sli_iterator_write_int(writer, (int64_t)text.size);
  sli_string_append(&writer->bytes, text.data, text.size);
}

void sli_iterator_write_status(sli_iterator_writer_t *writer, const sli_status_t *status) {
  sli_iterator_write_int(writer, sli_status_code(status));
  if (status) sli_iterator_write_text(writer, sli_view(sli_status_message(status)));
}

// The dataset that a tensor holds; NULL: it holds something else.
static sli_dataset_t *dataset_in(const sli_tensor_t *tensor) {
  sli_dataset_t *dataset;
  sli_status_release(sli_dataset_of(tensor, &dataset));
  return dataset;
}

// The list of elements that a tensor holds as a dataset.
static const sli_dataset_t *list_in(const sli_tensor_t *tensor) {
  const sli_dataset_t *dataset = dataset_in(tensor);
  return dataset && sli_dataset_is_elements(dataset) ? dataset : NULL;
}

static sli_status_t *write_list(sli_iterator_writer_t *writer, const sli_dataset_t *list) {
  sli_iterator_write_text(writer, sli_view_of("", 0));
  sli_iterator_write_int(writer, list->component_count);
  for (int i = 0; i < list->component_count; i++) {
    sli_iterator_write_int(writer, list->types[i]);
    sli_iterator_write_int(writer, list->shapes[i].rank);
    for (int d = 0; d < list->shapes[i].rank; d++) sli_iterator_write_int(writer, list->shapes[i].dims[d]);
  }
  return sli_dataset_elements_save(sli_dataset_elements_of(list), writer);
}

// Whether a message can hold the tensor: objects other than sparse tensors and the like cannot be read again.
static bool can_encode(const sli_tensor_t *tensor) {
  bool can = tensor->dtype != SLI_DTYPE_RESOURCE;
  for (int64_t i = 0; i < tensor->count && tensor->dtype == SLI_DTYPE_VARIANT; i++) {
    const sli_object_t *object = SLI_DATA(sli_object_t *, tensor)[i];
    can &= !object || object->type == &sli_variant_encoded_type ||
           (object->type->variant && object->type->variant->encode);
  }
  return can;
}

static sli_status_t *write_tensor(sli_iterator_writer_t *writer, const sli_tensor_t *tensor) {
  const sli_dataset_t *list = tensor->dtype == SLI_DTYPE_VARIANT ? list_in(tensor) : NULL;
  if (list) return write_list(writer, list);
  sli_dataset_t *dataset = tensor->dtype == SLI_DTYPE_VARIANT ? dataset_in(tensor) : NULL;
  if (dataset && dataset->recipe) {
    sli_iterator_write_text(writer, sli_view_of("", 0));
    sli_iterator_write_int(writer, RECIPE);
    return sli_dataset_recipe_write(dataset->recipe, writer);
  }
  if (!can_encode(tensor))
    return sli_status_make(SLI_UNIMPLEMENTED, "An iterator that holds %s tensors cannot be saved",
                           sli_dtype_name((sli_dtype_t)tensor->dtype));
  sli_string_t bytes = {0};
  sli_tensor_encode_flat(tensor, &bytes);
  sli_iterator_write_text(writer, sli_view_of(bytes.data, bytes.size));
  sli_string_deinitialize(&bytes);
  return NULL;
}

sli_status_t *sli_iterator_write_element(sli_iterator_writer_t *writer, sli_tensor_t *const *element, int count) {
  for (int i = 0; i < count; i++) SLI_RETURN_IF_ERROR(write_tensor(writer, element[i]));
  return NULL;
}

static sli_status_t *malformed(const char *what) {
  return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: %s", what);
}

sli_status_t *sli_iterator_read_int(sli_iterator_reader_t *reader, int64_t low, int64_t high, int64_t *out_value) {
  if (reader->rest.size < 8) return malformed("it ends too early");
  *out_value = (int64_t)sli_coding_load_u64(reader->rest.data);
  reader->rest = sli_view_of(reader->rest.data + 8, reader->rest.size - 8);
  return *out_value < low || *out_value > high ? malformed("a number is out of range") : NULL;
}

sli_status_t *sli_iterator_read_text(sli_iterator_reader_t *reader, sli_view_t *out_text) {
  int64_t size = 0;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &size));
  if ((uint64_t)size > reader->rest.size) return malformed("it ends too early");
  *out_text = sli_view_of(reader->rest.data, (size_t)size);
  reader->rest = sli_view_of(reader->rest.data + size, reader->rest.size - (size_t)size);
  return NULL;
}

sli_status_t *sli_iterator_read_status(sli_iterator_reader_t *reader, sli_status_t **out_status) {
  int64_t code = 0;
  sli_view_t text = {0};
  *out_status = NULL;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, SLI_UNAUTHENTICATED, &code));
  if (!code) return NULL;
  SLI_RETURN_IF_ERROR(sli_iterator_read_text(reader, &text));
  *out_status = sli_status_make((sli_code_t)code, "%.*s", SLI_VIEW_ARG(text));
  return NULL;
}

// Lists within lists are read to a limited depth.
enum { MAX_DEPTH = 16 };

static sli_status_t *read_list_shape(sli_iterator_reader_t *reader, sli_arena_t *arena, sli_shape_t *out_shape) {
  int64_t rank, dims[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, -1, SLI_MAX_RANK, &rank));
  for (int64_t i = 0; i < rank; i++) SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, -1, INT64_MAX, &dims[i]));
  *out_shape = rank < 0 ? SLI_SHAPE_UNKNOWN : sli_shape_copy(arena, (sli_shape_t){(int)rank, dims});
  return NULL;
}

static sli_status_t *read_list_parts(sli_iterator_reader_t *reader, sli_arena_t *arena, sli_tensor_t **out_tensor) {
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, RECIPE, SLI_DATASET_MAX_COMPONENTS, &count));
  if (count == RECIPE) return sli_dataset_recipe_read(reader, out_tensor);
  sli_dtype_t *types = sli_arena_calloc(arena, (size_t)count + 1, sizeof(*types));
  sli_shape_t *shapes = sli_arena_calloc(arena, (size_t)count + 1, sizeof(*shapes));
  for (int64_t i = 0; i < count; i++) {
    int64_t type;
    SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 1, SLI_DTYPE_REF - 1, &type));
    if (!sli_dtype_is_valid((int)type)) return malformed("a type is unknown");
    types[i] = (sli_dtype_t)type;
    SLI_RETURN_IF_ERROR(read_list_shape(reader, arena, &shapes[i]));
  }
  sli_dataset_elements_t elements = {.component_count = (int)count};
  sli_dataset_t *dataset = sli_dataset_create_elements(&elements, types, shapes);
  sli_status_t *status = sli_dataset_elements_restore(&elements, dataset, reader);
  sli_dataset_release(dataset);
  if (status) {
    sli_dataset_elements_deinitialize(&elements);
    return status;
  }
  *out_tensor = sli_dataset_to_tensor(sli_dataset_create_elements(&elements, types, shapes));
  return NULL;
}

static sli_status_t *read_list(sli_iterator_reader_t *reader, sli_tensor_t **out_tensor) {
  if (reader->depth >= MAX_DEPTH) return malformed("lists are nested too deeply");
  sli_arena_t arena = {0};
  reader->depth++;
  sli_status_t *status = read_list_parts(reader, &arena, out_tensor);
  reader->depth--;
  sli_arena_deinitialize(&arena);
  return status;
}

sli_status_t *sli_iterator_read_tensor(sli_iterator_reader_t *reader, sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  sli_view_t bytes;
  SLI_RETURN_IF_ERROR(sli_iterator_read_text(reader, &bytes));
  return bytes.size ? sli_tensor_decode(bytes, out_tensor) : read_list(reader, out_tensor);
}

sli_status_t *sli_iterator_read_element(sli_iterator_reader_t *reader, const sli_dataset_t *dataset,
                                        sli_tensor_t **out_element) {
  sli_status_t *status = NULL;
  for (int i = 0; i < dataset->component_count; i++) out_element[i] = NULL;
  for (int i = 0; i < dataset->component_count && !status; i++) {
    status = sli_iterator_read_tensor(reader, &out_element[i]);
    if (!status && out_element[i]->dtype != dataset->types[i]) status = malformed("a tensor has another type");
    if (!status && !sli_shape_is_compatible(sli_tensor_shape(out_element[i]), dataset->shapes[i]))
      status = malformed("a tensor has another shape");
  }
  if (status) sli_dataset_release_element(out_element, dataset->component_count);
  return status;
}

// The name of the kind, its own state, then that of the input.
sli_status_t *sli_iterator_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  const sli_dataset_kind_t *kind = iterator->dataset->kind;
  sli_iterator_write_text(writer, sli_view(kind->name));
  if (kind->save) SLI_RETURN_IF_ERROR(kind->save(iterator, writer));
  return kind->opens_input ? sli_iterator_save_slot(iterator->input, writer) : NULL;
}

sli_status_t *sli_iterator_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  const sli_dataset_kind_t *kind = iterator->dataset->kind;
  sli_view_t name = {0};
  SLI_RETURN_IF_ERROR(sli_iterator_read_text(reader, &name));
  if (!sli_view_is(name, kind->name))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The state of an iterator of %.*s was given to an iterator of %s: the dataset must be the "
                           "same as when the state was saved",
                           name.size < 64 ? (int)name.size : 64, name.data, kind->name);
  sli_function_library_t *outer = reader->library;
  const sli_dataset_recipe_t *recipe = iterator->dataset->recipe;
  reader->device = iterator->root->device;
  reader->cancellation = iterator->root->cancellation;
  if (recipe && recipe->library) reader->library = recipe->library;
  if (kind->restore) SLI_RETURN_IF_ERROR(kind->restore(iterator, reader));
  reader->library = outer;
  if (!kind->opens_input) return NULL;
  return sli_iterator_restore_slot(&iterator->input, iterator->dataset->inputs[0], iterator->root, reader);
}

sli_status_t *sli_iterator_save_slot(sli_iterator_t *slot, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, slot != NULL);
  return slot ? sli_iterator_save(slot, writer) : NULL;
}

sli_status_t *sli_iterator_restore_slot(sli_iterator_t **slot, sli_dataset_t *dataset, sli_iterator_root_t *root,
                                        sli_iterator_reader_t *reader) {
  int64_t is_there = 0;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &is_there));
  sli_iterator_release(*slot);
  *slot = NULL;
  if (!is_there) return NULL;
  SLI_RETURN_IF_ERROR(sli_iterator_create(dataset, root, slot));
  return sli_iterator_restore(*slot, reader);
}
