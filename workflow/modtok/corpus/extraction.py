"""A web page to its text: paragraphs, one a line, and what had to be mended on the way (paper section 6.1).

What a page's text may hold, each with one stated rule:

| found | rule |
|---|---|
| undecodable bytes | each broken sequence becomes one U+FFFD |
| NUL | removed |
| lone surrogates | each becomes U+FFFD, also where a page spells one as a numeric reference |
| private use | kept: it is text in somebody's font |
| U+2581 | kept: nothing here or later gives it a meaning |
| a word over 10,000 characters | the paragraph is left out: data, not language |

All but U+2581 are counted (`Page.repairs`).
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from resiliparse.extract.html2text import extract_plain_text

from modtok.corpus.charsets import REPLACEMENT, decode
from modtok.corpus.http_response import BadResponseError, Response, decoded_body, parse_response

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
MAX_WORD = 10_000
_MARKUP_START = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)
_SUSPECTS = re.compile("[\x00\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Page:
    """The outcome of a page: a text, or the reason why there is none."""

    text: str = ""
    "paragraphs, one a line, none of them empty"
    reason: str = ""
    """bad_http_header, http_status, not_html, empty, broken_encoding, too_large, extractor_error, no_text;
    empty for a page with text"""
    repairs: dict[str, int] = field(default_factory=dict)
    """what was mended -> how often: replaced_bytes, nul, lone_surrogates, private_use, long_words; and
    replacement_characters, the U+FFFD that the text holds in the end, those of the page itself included"""


def extract_page(block: bytes, main_content: bool = False, max_bytes: int = 1 << 24) -> Page:
    r"""The text of an HTTP response that holds an HTML page.

    `main_content` leaves out navigation and the like, and with it 15 % of the paragraphs of real pages that
    belong to the text (measured; without it 0.1 %). `max_bytes` stops a body that unpacks beyond it.

    extract_page(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A<p>B").text -> "A\nB"
    """
    try:
        response = parse_response(block)
        if response.status != 200:
            return Page(reason="http_status")
        if not _may_be_html(response):
            return Page(reason="not_html")
        body = decoded_body(response, max_bytes)
    except BadResponseError as error:
        return Page(reason=str(error))
    return _text_of(body, response, main_content)


def _may_be_html(response: Response) -> bool:
    """By the media type; a response without one may be a page, and its body tells."""
    media_type = _media_type(response)
    return media_type in HTML_TYPES or not media_type


def _media_type(response: Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _text_of(body: bytes, response: Response, main_content: bool) -> Page:
    if not body.strip():
        return Page(reason="empty")
    if body.startswith(b"%PDF-") or not (_media_type(response) or _MARKUP_START.match(body)):
        return Page(reason="not_html")
    label = _CHARSET.search(response.headers.get("content-type", ""))
    decoded = decode(body, label[1] if label else None)
    try:
        plain = extract_plain_text(
            decoded.text, main_content=main_content, list_bullets=False, alt_texts=False
        )
    except Exception:  # whatever the parser cannot stand; what it does not survive is page_stream's
        return Page(reason="extractor_error")
    text, repairs = clean(plain)
    repairs["replaced_bytes"] = decoded.replaced
    repairs["nul"] += decoded.text.count("\x00")  # the parser drops them
    repairs["replacement_characters"] = text.count(REPLACEMENT)
    return Page(text, "" if text else "no_text", {name: count for name, count in repairs.items() if count})


def clean(text: str) -> tuple[str, Counter[str]]:
    r"""Paragraphs of a text, stripped, empty ones left out, and the repairs that they took.

    clean(" a \n\n\x00b ") -> ("a\nb", Counter({"nul": 1}))
    """
    repairs: Counter[str] = Counter()
    if not text.isascii() or "\x00" in text:
        repairs = Counter(map(_kind, _SUSPECTS.findall(text)))
        text = _SURROGATES.sub(REPLACEMENT, text.replace("\x00", "")) if repairs else text
    paragraphs = [paragraph for line in text.split("\n") if (paragraph := line.strip())]
    kept = [paragraph for paragraph in paragraphs if not _has_long_word(paragraph)]
    if len(kept) < len(paragraphs):
        repairs["long_words"] = len(paragraphs) - len(kept)
    return "\n".join(kept), repairs


def _kind(character: str) -> str:
    if character == "\x00":
        return "nul"
    return "lone_surrogates" if "\ud800" <= character <= "\udfff" else "private_use"


def _has_long_word(paragraph: str) -> bool:
    return len(paragraph) > MAX_WORD and max(map(len, paragraph.split())) > MAX_WORD
