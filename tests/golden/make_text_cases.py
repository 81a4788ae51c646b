#!/usr/bin/env python3
"""Records golden cases of text (cases/regex, cases/unicode, cases/ngrams, cases/letters) as TensorFlow runs them."""
import tensorflow.compat.v1 as tf
from make_cases import Case

raw = tf.raw_ops


def regex():
    case = Case("regex")

    def good(build):
        case.run(lambda: tf.nest.flatten(build()))

    texts = ["xaby", "baaa", "", "a.b", "héé1", "a\nb", "aaaaaaaaaaaaaaaaaaaac", "12 ab_", "\x01é€😀"]
    patterns = ["(a)(b)?", "(?P<n>a+)", r"\Aab\z", "", "b*", "a", "(?i)A", ".", "$", "^", "(?m)$", r"\pL+", "[[:alpha:]]",
                "a|ab", "(?:a*)*b", "é", r"\x{e9}", r"\Qa.b\E", "(?U)a+", "(?s).", "[^a]", "a*?", "(a){2}?", r"\b\w",
                r"\d+\s", r"[\d\s]", "x{0,3}", "{", "a{,2}", r"\.", "[]a]", "[^]a]", r"[\]a]", r"\101", "(?i:A)b", r"[[:^alpha:]]",
                r"\PL", r"\p{Greek}", "(|a)+", "(a*)+", "😀"]
    for pattern in patterns:
        good(lambda p=pattern: [raw.RegexFullMatch(input=texts, pattern=p),
                                raw.RegexReplace(input=texts, pattern=p, rewrite=r"<\0>"),
                                raw.RegexReplace(input=texts, pattern=p, rewrite="-", replace_global=False),
                                raw.StaticRegexReplace(input=texts, pattern=p, rewrite=r"[\\]")])
    for rewrite in (r"\1", r"\2", r"\0\0", r"a\x", "\\", r"\1\q\9", ""):
        good(lambda r=rewrite: [raw.RegexReplace(input=texts, pattern="(a)", rewrite=r),
                                raw.RegexReplace(input=texts, pattern="(a)", rewrite=r, replace_global=False)])
    # What RE2 refuses.
    for pattern in ("a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b", r"(a)\1", "a++", "a**", "a*+", "a?+", "a{2}{3}", r"a\Z", r"\K",
                    r"\h", r"\R", r"\G", r"\X", r"\N", "(?#c)a", "(?>a)", "a{1001}", "(", ")", "[a", "*", "+a", "(*a)", "\\",
                    "(?P=n)", "(?P>n)", "(?R)", "(?1)", "(?x)a", r"\8", "(?P<n", "[z-a]", r"[\Z]", "(?|a)"):
        good(lambda p=pattern: raw.RegexFullMatch(input="a", pattern=p))
    good(lambda: raw.RegexFullMatch(input="a", pattern=tf.placeholder_with_default(["a"], None)))
    good(lambda: raw.RegexReplace(input="a", pattern="a", rewrite=tf.placeholder_with_default(["a"], None)))
    case.write()


def unicode():
    case = Case("unicode")

    def good(build):
        case.run(lambda: tf.nest.flatten(build()))

    texts = {
        "UTF-8": [b"a", b"", b"\xe0\x80a", b"\xf0\x90\x80", b"\xf0\x90\x80a", b"\xed\xa0\x80", b"\xc0\x80", b"\xef\xbb\xbfa",
                  b"\xf5\x80\x80\x80", b"a\xffb", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xe2", b"a\x01\x1f\x7fb", b"\xc3\xa9",
                  b"\xe2\x82\xac\xf0\x9f\x98\x80", b"\xf4\x8f\xbf\xbf", b"\xe2\x82a", b"\xc3", b"\x80\x80", b"\x00a"],
        "UTF-16": [b"\xfe\xff\x00a\x00b", b"\xff\xfea\x00b\x00", b"\x00a\x00b", b"\xfe\xff", b"", b"a"],
        "UTF-16BE": [b"\xfe\xff\x00a", b"\xd8\x00\x00a", b"\xdc\x00\x00a", b"\xd8\x00\xdc\x00a", b"\xd8\x00", b"a", b"\x00a\x00b"],
        "UTF-16-LE": [b"\xff\xfea\x00", b"\x00\xd8a\x00", b"=\xd8\x00\xde"],
        "UTF-32": [b"\x00\x00\xfe\xff\x00\x00\x00a", b"\xff\xfe\x00\x00a\x00\x00\x00", b"\x00\x00\x00a"],
        "utf32be": [b"\x00\x00\x00a\x00\x11\x00\x00\x00\x00\xd8\x00\x00"], "US-ASCII": [b"a\x80b"], "ascii": [b"a\xff"],
        "latin1": [b"a\xe9\x80"], "ISO-8859-1": [b"\xff"], "Shift-JIS": [b"\x83ea"], "iso-8859-15": [b"a\xa4"],
        "EUC-JP": [b"\xa4\xa2a"], "KOI8-R": [b"\xc1"], "GB18030": [b"\x81\x30\x81\x30"], "windows-1252": [b"\x80\x93"],
    }
    for encoding, values in texts.items():
        for errors in ("replace", "ignore", "strict"):
            for control in (False, True):
                options = dict(input=tf.constant, input_encoding=encoding, errors=errors, replace_control_characters=control)
                # TensorFlow takes the byte order of one element for the next.
                apart = errors == "strict" or encoding in ("UTF-16", "UTF-32")
                for value in (values if apart else [values]):
                    options["input"] = value
                    good(lambda o=dict(options): list(raw.UnicodeDecodeWithOffsets(**o)) + list(raw.UnicodeDecode(
                        Tsplits=tf.int32, **o)))
                    good(lambda o=dict(options): [raw.UnicodeTranscode(output_encoding=form, **o) for form in (
                        "UTF-8", "UTF-16-BE", "UTF-32-BE")])
    good(lambda: raw.UnicodeTranscode(input=[b"a\xff\xffb"], input_encoding="UTF-8", output_encoding="UTF-8", replacement_char=32))
    good(lambda: raw.UnicodeTranscode(input=["a"], input_encoding="UTF-8", output_encoding="UTF-8", replacement_char=0x110000))
    good(lambda: raw.UnicodeTranscode(input=["a"], input_encoding="nonsense", output_encoding="UTF-8"))
    good(lambda: raw.UnicodeDecode(input=["a"], input_encoding=""))
    good(lambda: list(raw.UnicodeDecode(input=[["a", "bc"], ["", "é"]], input_encoding="UTF-8")))
    good(lambda: list(raw.UnicodeDecode(input="abc", input_encoding="UTF-8")))

    codes = [97, 0x20ac, 0x1f600, 0xd800, 0x110000, -1, 0xfffe, 0xfdd0, 0x10ffff, 0, 0x7ff, 0x800, 0xffff]
    for form in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        for errors in ("replace", "ignore", "strict"):
            good(lambda: raw.UnicodeEncode(input_values=codes, input_splits=tf.constant([0, 2, 2, 7, 13], tf.int64),
                                           output_encoding=form, errors=errors, replacement_char=63))
            good(lambda: raw.UnicodeEncode(input_values=codes[:3], input_splits=tf.constant([0, 2, 3], tf.int32),
                                           output_encoding=form, errors=errors))
    for splits in ([0, 2], [1, 0], [0, 1], [1, 2], [0, 3, 2]):
        good(lambda s=splits: raw.UnicodeEncode(input_values=[97, 98, 99], input_splits=tf.constant(s, tf.int64),
                                                output_encoding="UTF-8"))
    good(lambda: raw.UnicodeScript(input=list(range(0, 0x110000, 97)) + [-1, 0x110000, 0x7fffffff]))
    good(lambda: raw.UnicodeScript(input=[[0x41, 0x3b1], [0x10ffff, 0xd800]]))
    case.write()


def ngrams():
    case = Case("ngrams")
    words = ["a", "bb", "ccc", "d", "e", ""]
    for widths in ([2], [1, 3], [6], []):
        for pad in (0, 1, -1, 5):
            for short in (False, True):
                for splits in ([0, 3, 3, 4, 6], [0, 6]):
                    case.run(lambda: list(raw.StringNGrams(
                        data=words, data_splits=tf.constant(splits, tf.int64), separator="|", ngram_widths=widths,
                        left_pad="LP", right_pad="RP", pad_width=pad, preserve_short_sequences=short)))
    for splits in ([0, 7], [1, 6], [0, 4, 3, 6], [-1, 6], [0, 5], []):
        case.run(lambda: list(raw.StringNGrams(data=words, data_splits=tf.constant(splits, tf.int32), separator=" ",
                                               ngram_widths=[2], left_pad="", right_pad="", pad_width=0,
                                               preserve_short_sequences=False)))
    case.run(lambda: list(raw.StringNGrams(data=tf.constant([], tf.string), data_splits=tf.constant([0, 0], tf.int64), separator=" ",
                                           ngram_widths=[2], left_pad="", right_pad="", pad_width=0,
                                           preserve_short_sequences=False)))
    case.run(lambda: list(raw.StringNGrams(data=words, data_splits=tf.constant([0, 6], tf.int64), separator=" ",
                                           ngram_widths=[0], left_pad="", right_pad="", pad_width=0,
                                           preserve_short_sequences=False)))
    case.write()


def letters():
    """Upper and lower case beyond ASCII, code pages, Examples from JSON, and logarithms of few bits."""
    case = Case("letters")
    words = ["ß ŉ ǰ ΐ ΰ և ẖ ẗ ẘ ẙ ẚ ὐ ὖ ᾀ ᾈ ᾳ ᾼ ῗ ﬀ ﬃ ﬆ ﬓ ı ſ µ ÿ ǆ ǅ ς ⅷ ⓐ", "İ Σ ΑΣ ΑΣΒ Σ. ΑΣ. Α.Σ Σ'Α ΑΣ ΑΣ́ ẞ ǅ Ⅷ Ⓐ K Å Ǆ", "", "aÉ"]
    for encoding in ("", "utf-8"):
        case.run(lambda: [raw.StringUpper(input=words, encoding=encoding), raw.StringLower(input=words, encoding=encoding)])
    for encoding in ("windows-1250", "windows-1251", "windows-1252", "cp1252", "ISO-8859-2", "ISO-8859-7", "KOI8-R"):
        for errors in ("replace", "ignore", "strict"):
            case.run(lambda: [raw.UnicodeTranscode(input=[bytes(range(128, 170))], input_encoding=encoding, output_encoding="UTF-8",
                                                   errors=errors)])
    japanese = bytes(range(128)) + b"\\\\\x8f\x70\x83\\\x81\x60\x87\x40\xb1\x81\x7c"
    for encoding, text in (("shift_jis", japanese), ("Shift-JIS", b"a\x80b\xa0c\xfdd"), ("GB18030", b"\xca\xf5"),
                           ("Big5", b"\xb3\\\xa5\\\xbb\x77"), ("EUC-KR", b"\xc7\xd1\xb9\xce")):
        case.run(lambda: [raw.UnicodeTranscode(input=[text], input_encoding=encoding, output_encoding="UTF-8")])
    feature = '{"features": {"feature": {"a": %s}}}'
    for value in ('{"int64List": {"value": [3, "-7"]}}', '{"floatList": {"value": [1.5, 2]}}', '{"bytesList": {"value": ["aGk="]}}',
                  '{"int64List": {"value": []}}'):
        case.run(lambda: [raw.DecodeJSONExample(json_examples=[feature % value])])
    for dtype in (tf.float16, tf.bfloat16):
        def narrow():
            x, y = [tf.cast(tf.linspace(a, b, 50), dtype) for a, b in ((0.0, 5.0), (0.1, 9.0))]
            pairs = [(raw.Xlogy, x, y), (raw.Xlog1py, x, y), (raw.Xdivy, x, y), (raw.Xlogy, x[7], y), (raw.Xlogy, x, y[7])]
            return [tf.cast(op(x=a, y=b), tf.float32) for op, a, b in pairs]
        case.run(narrow)
    case.write()


if __name__ == "__main__":
    regex()
    unicode()
    ngrams()
    letters()
