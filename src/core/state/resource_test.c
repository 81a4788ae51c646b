#include "core/state/resource.h"

#include "base/test.h"
#include "core/state/variable.h"

static sli_view_t none(void) { return sli_view_of(NULL, 0); }

static sli_variable_t *new_variable(const char *name) {
  return sli_variable_create(SLI_DTYPE_FLOAT, sli_view(name), SLI_SHAPE_UNKNOWN);
}

SLI_TEST(test_no_manager_holds_nothing) {
  void *found = "";
  SLI_EXPECT_STATUS(sli_resource_find(NULL, none(), &sli_variable_type, sli_view("v"), &found), SLI_NOT_FOUND);
  SLI_EXPECT(!found);
  SLI_EXPECT_STATUS(sli_resource_remove(NULL, none(), &sli_variable_type, sli_view("v")), SLI_NOT_FOUND);
}

SLI_TEST(test_insert_find_remove) {
  sli_resource_manager_t *manager = sli_resource_manager_create("localhost");
  sli_variable_t *variable = new_variable("v");
  void *found;
  sli_status_t *status = sli_resource_find(manager, none(), &sli_variable_type, sli_view("v"), &found);
  SLI_EXPECT_INT(sli_status_code(status), SLI_NOT_FOUND);
  SLI_EXPECT_TEXT(sli_status_message(status), "Resource localhost/v/Variable does not exist.");
  sli_status_release(status);
  SLI_EXPECT(!found);

  SLI_EXPECT_OK(sli_resource_insert(manager, none(), sli_view("v"), variable));
  SLI_EXPECT_STATUS(sli_resource_insert(manager, sli_view("localhost"), sli_view("v"), variable), SLI_ALREADY_EXISTS);
  SLI_EXPECT_OK(sli_resource_insert(manager, sli_view("other"), sli_view("v"), variable));
  SLI_EXPECT_OK(sli_resource_find(manager, sli_view("localhost"), &sli_variable_type, sli_view("v"), &found));
  SLI_EXPECT(found == variable);
  sli_object_release(found);
  // The same name with another type is another resource.
  SLI_EXPECT_STATUS(sli_resource_find(manager, none(), &sli_resource_handle_type, sli_view("v"), &found),
                    SLI_NOT_FOUND);

  SLI_EXPECT_OK(sli_resource_remove(manager, none(), &sli_variable_type, sli_view("v")));
  SLI_EXPECT_STATUS(sli_resource_remove(manager, none(), &sli_variable_type, sli_view("v")), SLI_NOT_FOUND);
  SLI_EXPECT_OK(sli_resource_find(manager, sli_view("other"), &sli_variable_type, sli_view("v"), &found));
  sli_resource_clear(manager, sli_view("other"));
  sli_resource_clear(manager, sli_view("other"));
  SLI_EXPECT_TEXT(((sli_variable_t *)found)->name, "v");
  sli_object_release(found);
  SLI_EXPECT(sli_refcount_is_one(&variable->base.references));
  sli_variable_release(variable);
  sli_resource_manager_destroy(manager);
}

static sli_status_t *create_variable(void *context, void **out_object) {
  ++*(int *)context;
  *out_object = new_variable("made");
  return NULL;
}

static sli_status_t *fail_to_create(void *context, void **out_object) {
  return sli_status_make(SLI_INTERNAL, "no luck");
}

SLI_TEST(test_find_or_create_creates_once) {
  sli_resource_manager_t *manager = sli_resource_manager_create("localhost");
  int created = 0;
  void *first, *second;
  SLI_EXPECT_STATUS(
      sli_resource_find_or_create(manager, none(), &sli_variable_type, sli_view("x"), fail_to_create, NULL, &first),
      SLI_INTERNAL);
  SLI_EXPECT(!first);
  SLI_REQUIRE_OK(sli_resource_find_or_create(manager, none(), &sli_variable_type, sli_view("x"), create_variable,
                                             &created, &first));
  SLI_REQUIRE_OK(sli_resource_find_or_create(manager, none(), &sli_variable_type, sli_view("x"), create_variable,
                                             &created, &second));
  SLI_EXPECT(first == second);
  SLI_EXPECT_INT(created, 1);
  sli_object_release(first);
  sli_object_release(second);
  sli_resource_manager_destroy(manager);
}

static void collect(void *context, sli_view_t container, sli_view_t name, sli_object_t *object) {
  sli_string_append_format(context, "%.*s/%.*s/%s ", SLI_VIEW_ARG(container), SLI_VIEW_ARG(name), object->type->name);
}

SLI_TEST(test_for_each_sees_all) {
  sli_resource_manager_t *manager = sli_resource_manager_create("d");
  sli_variable_t *variable = new_variable("v");
  SLI_EXPECT_OK(sli_resource_insert(manager, none(), sli_view("a"), variable));
  SLI_EXPECT_OK(sli_resource_insert(manager, none(), sli_view("b"), variable));
  SLI_EXPECT_OK(sli_resource_insert(manager, sli_view("c"), sli_view(""), variable));
  sli_string_t seen = {0};
  sli_resource_for_each(manager, collect, &seen);
  SLI_EXPECT_TEXT(sli_string_text(&seen), "d/a/Variable d/b/Variable c//Variable ");
  sli_string_deinitialize(&seen);
  sli_variable_release(variable);
  sli_resource_manager_destroy(manager);
}

enum { THREADS = 4, ROUNDS = 500 };
static sli_resource_manager_t *shared;

static void *use_resources(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    int created = 0;
    void *object;
    SLI_EXPECT_OK(sli_resource_find_or_create(shared, none(), &sli_variable_type, sli_view(i % 2 ? "p" : "q"),
                                              create_variable, &created, &object));
    sli_tensor_t *tensor = sli_variable_read(object);
    sli_tensor_release(tensor);
    sli_variable_replace(object, sli_tensor_scalar_float((float)i));
    sli_object_release(object);
    if (i % 16 == 0) sli_resource_clear(shared, none());
    if (i % 5 == 0) sli_status_release(sli_resource_remove(shared, none(), &sli_variable_type, sli_view("p")));
  }
  return NULL;
}

SLI_TEST(test_threads_may_create_clear_and_remove_at_once) {
  shared = sli_resource_manager_create("localhost");
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, use_resources, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  sli_resource_manager_destroy(shared);
}

SLI_TEST(test_variable_without_value_says_its_name) {
  sli_variable_t *variable =
      sli_variable_create(sli_dtype_make_ref(SLI_DTYPE_FLOAT), sli_view("layer/w"), SLI_SHAPE_UNKNOWN);
  SLI_EXPECT_INT(variable->dtype, SLI_DTYPE_FLOAT);
  sli_tensor_t *tensor;
  sli_status_t *status = sli_variable_read_initialized(variable, &tensor);
  SLI_EXPECT_INT(sli_status_code(status), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_TEXT(sli_status_message(status), "Attempting to use uninitialized value layer/w");
  sli_status_release(status);
  sli_variable_replace(variable, sli_tensor_scalar_float(3));
  SLI_REQUIRE_OK(sli_variable_read_initialized(variable, &tensor));
  SLI_EXPECT_NEAR(*SLI_DATA(float, tensor), 3, 0);
  sli_tensor_release(tensor);
  sli_variable_release(variable);
}

SLI_TEST_MAIN(test_no_manager_holds_nothing, test_insert_find_remove, test_find_or_create_creates_once,
              test_for_each_sees_all, test_threads_may_create_clear_and_remove_at_once,
              test_variable_without_value_says_its_name)
