import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.corpus.extraction import MAX_WORD, clean, extract_page
from unit.corpus.warc_bytes import http

PAGE = b"<html><body><h1>Title</h1><p>First.</p><p>Second.</p></body></html>"


def test_paragraphs_are_lines():
    assert extract_page(http(PAGE)).text == "Title\nFirst.\nSecond."


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (b"", "bad_http_header"),
        (b"not http at all\r\n\r\n<p>text", "bad_http_header"),
        (http(PAGE, status="404 Not Found"), "http_status"),
        (http(b"", status="301 Moved"), "http_status"),
        (http(PAGE, "application/json"), "not_html"),
        (http(PAGE, "text/plain"), "not_html"),
        (http(b"\x89PNG\r\n", "image/png"), "not_html"),
        (http(b"%PDF-1.4 posing as a page", "text/html"), "not_html"),
        (http(b"\x00\x01\x02\x03", ""), "not_html"),
        (http(b""), "empty"),
        (http(b" \r\n "), "empty"),
        (http(b"<html><body><img src=a.png><script>x</script></body>"), "no_text"),
        (http(gzip.compress(PAGE, mtime=0)[:30], content_encoding="gzip"), "broken_encoding"),
        (http(gzip.compress(bytes(10_000_000), mtime=0), content_encoding="gzip"), "too_large"),
        (http(b"<p>" + b"long " * 300_000), "too_large"),
    ],
)
def test_a_page_without_text_has_a_reason(block, reason):
    found = extract_page(block, max_bytes=1_000_000)
    assert (found.text, found.reason) == ("", reason)


@pytest.mark.parametrize("content_type", ["Text/HTML;charset=UTF-8", "application/xhtml+xml", ""])
def test_html_is_known_by_its_type_or_without_one_by_its_start(content_type):
    assert extract_page(http(PAGE, content_type)).text == "Title\nFirst.\nSecond."


def test_extremely_nested_markup_is_read():
    nested = b"<div>" * 50_000 + b"<p>deep inside</p>"
    assert extract_page(http(nested)).text == "deep inside"


def test_navigation_is_left_out_on_demand_only():
    page = http(b"<body><nav><ul><li><a href=/>Start page</a></ul></nav><main><p>" + b"Words. " * 50)
    assert "Start page" in extract_page(page).text
    assert "Start page" not in extract_page(page, main_content=True).text


def test_undecodable_bytes_are_replaced_and_counted():
    found = extract_page(http("<p>Ο καιρός στα βουνά ".encode() + b"\xff\xfe" + "αλλάζει</p>".encode()))
    assert found.text == "Ο καιρός στα βουνά \ufffd\ufffdαλλάζει"
    assert found.repairs == {"replaced_bytes": 2, "replacement_characters": 2}


def test_nul_and_references_to_surrogates_are_counted():
    found = extract_page(http(b"<p>one\x00two &#xD800; three</p>"))
    assert found.text == "onetwo \ufffd three"
    assert found.repairs == {"nul": 1, "replacement_characters": 1}


@pytest.mark.parametrize(
    ("found", "text", "repairs"),
    [
        ("one\x00two", "onetwo", {"nul": 1}),
        ("a \ud800 b", "a \ufffd b", {"lone_surrogates": 1}),
        ("a \ue000\U000f0001 b", "a \ue000\U000f0001 b", {"private_use": 2}),
        ("▁stays▁", "▁stays▁", {}),
        ("kept\n" + "x" * (MAX_WORD + 1) + " y\nkept too", "kept\nkept too", {"long_words": 1}),
        ("x " * MAX_WORD, ("x " * MAX_WORD).strip(), {}),
        (" a \n\n\t\n b", "a\nb", {}),
    ],
)
def test_each_odd_character_has_its_rule(found, text, repairs):
    assert clean(found) == (text, repairs)


@given(st.text(st.characters()))
def test_a_cleaned_text_is_clean(text):
    cleaned, _ = clean(text)
    assert clean(cleaned)[0] == cleaned
    assert all(line.strip() for line in cleaned.split("\n")) or not cleaned
    assert "\x00" not in cleaned
    cleaned.encode("utf-8")
