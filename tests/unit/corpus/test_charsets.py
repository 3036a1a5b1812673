import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.corpus.charsets import decode

GREEK = "Ο καιρός στα βουνά αλλάζει γρήγορα και οι βοσκοί το γνωρίζουν καλά. " * 3
BULGARIAN = "Времето в планината се променя бързо и овчарите знаят това добре. " * 3
CZECH = "Počasí v horách se rychle mění a pastýři to dobře vědí, říká žena. " * 3
LITHUANIAN = "Orai kalnuose greitai keičiasi, ir piemenys tai gerai žino, šį rytą. " * 3
FRENCH = "L’été dernier, la météo a changé très vite à la montagne, où l’on dîne. " * 3
JAPANESE = "山の天気は変わりやすいので、羊飼いはよく知っている。" * 3


def page(text, codec, meta=""):
    tag = f'<meta charset="{meta}">' if meta else ""
    return f"<html><head>{tag}</head><body><p>{text}</p></body></html>".encode(codec)


@pytest.mark.parametrize(
    ("name", "text", "codec", "header", "meta"),
    [
        ("header", GREEK, "iso-8859-7", "ISO-8859-7", ""),
        ("meta", BULGARIAN, "windows-1251", None, "windows-1251"),
        ("header before meta", BULGARIAN, "koi8-r", "koi8-r", "windows-1251"),
        ("nothing but the content", BULGARIAN, "windows-1251", None, ""),
        ("nothing, UTF-8", GREEK, "utf-8", None, ""),
        ("unknown label", GREEK, "utf-8", "x-user-defined-7", ""),
        ("unknown header, known meta", CZECH, "iso-8859-2", "no-such-charset", "iso-8859-2"),
        ("quoted label", GREEK, "windows-1253", '"windows-1253"', ""),
        ("UTF-8 labelled as Latin-1", GREEK, "utf-8", "iso-8859-1", "iso-8859-1"),
        ("UTF-8 labelled as Windows-1251", BULGARIAN, "utf-8", "windows-1251", ""),
        ("Windows-1251 labelled as UTF-8", BULGARIAN, "windows-1251", "utf-8", "utf-8"),
        ("Windows-1251 labelled as Latin-1", BULGARIAN, "windows-1251", "iso-8859-1", ""),
        ("Czech labelled as Windows-1252", CZECH, "windows-1250", "windows-1252", "windows-1252"),
        ("Lithuanian labelled as UTF-8", LITHUANIAN, "windows-1257", "utf-8", ""),
        ("French in Latin-1 that says so", FRENCH, "windows-1252", "ISO-8859-1", ""),
        ("header wrong, meta right", GREEK, "iso-8859-7", "utf-8", "iso-8859-7"),
        ("Shift JIS", JAPANESE, "shift_jis", None, "shift_jis"),
        ("EUC-JP", JAPANESE, "euc_jp", "euc-jp", ""),
        ("Baltic without a label", LITHUANIAN, "iso-8859-13", None, ""),
        ("meta that cannot be true", GREEK, "utf-8", None, "utf-16"),
    ],
)
def test_a_page_is_decoded_in_spite_of_its_labels(name, text, codec, header, meta):
    decoded = decode(page(text, codec, meta), header)
    assert text in decoded.text
    assert decoded.replaced == 0


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_overrules_the_header(codec):
    decoded = decode(page(GREEK, codec), "windows-1252")
    assert decoded.text.startswith("<html>")
    assert GREEK in decoded.text


def test_broken_bytes_in_utf8_are_replaced_and_counted_and_nothing_else_is():
    data = page(GREEK, "utf-8").replace("βουνά".encode(), b"\xff\xfebo\xc3(", 1)
    decoded = decode(data, "utf-8")
    assert decoded.replaced == 3
    assert decoded.text.count("\ufffd") == 3
    assert "βοσκοί το γνωρίζουν" in decoded.text


def test_a_replacement_character_that_the_page_holds_is_not_counted():
    data = page(GREEK + "\ufffd", "utf-8") + b"\xff"
    assert decode(data).replaced == 1


@given(st.text())
def test_utf8_comes_back_as_it_was(text):
    body = text.lstrip("\ufeff")
    if body.isascii():
        assert decode(body.encode(), "utf-8") == (body, "utf-8", 0)
    else:
        assert decode(body.encode(), None).text in (body, decode(body.encode()).text)
        assert decode(body.encode()).text == body


@given(st.binary(max_size=200), st.sampled_from([None, "utf-8", "utf-16", "gbk", "iso-2022-jp", "\x00", "é"]))
def test_any_bytes_are_decoded(data, header):
    decode(data, header).text.encode("utf-8")
