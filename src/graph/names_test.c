#include "graph/names.h"

#include <stdio.h>

#include "base/test.h"

enum { MANY = 5000 };

// Item n is called "item_n".
static sli_view_t name_of(const void *owner, uint32_t number) { return sli_view(((char(*)[16])owner)[number]); }

SLI_TEST(test_names_are_found_until_they_are_removed) {
  static char items[MANY][16];
  sli_graph_names_t names = {0};
  SLI_EXPECT_INT(sli_graph_names_find(&names, sli_view("item_0"), name_of, items), -1);
  for (uint32_t i = 0; i < MANY; i++) {
    snprintf(items[i], sizeof(items[i]), "item_%u", i);
    sli_graph_names_add(&names, i, name_of, items);
  }
  int wrong = 0;
  for (uint32_t i = 0; i < MANY; i++) wrong += sli_graph_names_find(&names, sli_view(items[i]), name_of, items) != i;
  SLI_EXPECT_INT(wrong, 0);
  SLI_EXPECT_INT(sli_graph_names_find(&names, sli_view("item_5000"), name_of, items), -1);
  SLI_EXPECT(names.slot_count <= 4 * MANY);

  // The last half is removed and added again, several times: what was removed does not fill the index.
  for (int round = 0; round < 10; round++) {
    for (uint32_t i = MANY / 2; i < MANY; i++) sli_graph_names_remove(&names, i, name_of, items);
    for (uint32_t i = 0; i < MANY; i++)
      wrong += (sli_graph_names_find(&names, sli_view(items[i]), name_of, items) >= 0) != (i < MANY / 2);
    for (uint32_t i = MANY / 2; i < MANY; i++) sli_graph_names_add(&names, i, name_of, items);
  }
  SLI_EXPECT_INT(wrong, 0);
  SLI_EXPECT(names.slot_count <= 4 * MANY);
  sli_graph_names_rebuild(&names, 10, 10, name_of, items);
  SLI_EXPECT_INT(sli_graph_names_find(&names, sli_view("item_9"), name_of, items), 9);
  SLI_EXPECT_INT(sli_graph_names_find(&names, sli_view("item_10"), name_of, items), -1);
  sli_graph_names_deinitialize(&names);
}

SLI_TEST_MAIN(test_names_are_found_until_they_are_removed)
