// The little of XML that stores reply and Hadoop's configuration has: elements without attributes. Thread-safe.
#ifndef SLI_IO_FILE_XML_H_
#define SLI_IO_FILE_XML_H_

#include <stdbool.h>

#include "base/string.h"

// The text between <tag> and </tag> from |*rest| on, which moves behind it; false if there is none.
bool sli_xml_next_element(sli_view_t *rest, const char *tag, sli_view_t *out_text);
// The text with the entities &amp; &lt; &gt; &quot; and &#39; replaced. The caller owns it.
char *sli_xml_decode(sli_view_t text);

#endif  // SLI_IO_FILE_XML_H_
