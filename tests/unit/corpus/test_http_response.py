import base64
import gzip
import random
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from modtok.corpus.http_response import BadResponseError, Response, decoded_body, parse_response

PAGE = b"<html>" + base64.b64encode(random.Random(1).randbytes(3000)) + b"</html>"


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def streamed_zstd(data):
    """A frame that does not say how long its content is, as servers send it."""
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


CODINGS = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", brotli.compress),
    ("zstd", zstandard.compress),
    ("zstd", streamed_zstd),
]


def chunked(data, size=100):
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(b"%x;name=value\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def reason(response, max_bytes=100_000):
    with pytest.raises(BadResponseError) as raised:
        decoded_body(response, max_bytes)
    return str(raised.value)


@pytest.mark.parametrize(("coding", "pack"), CODINGS)
def test_each_content_encoding_is_decoded(coding, pack):
    response = Response(200, pack(PAGE), {"content-encoding": coding})
    assert decoded_body(response, len(PAGE)) == PAGE


@pytest.mark.parametrize(("coding", "pack"), CODINGS)
def test_decompression_stops_at_the_limit(coding, pack):
    assert reason(Response(200, pack(PAGE), {"content-encoding": coding}), len(PAGE) - 1) == "too_large"


@pytest.mark.parametrize(("coding", "pack"), CODINGS)
def test_data_cut_short_is_a_broken_encoding(coding, pack):
    assert reason(Response(200, pack(PAGE)[:-20], {"content-encoding": coding})) == "broken_encoding"


@pytest.mark.parametrize(("coding", "pack"), CODINGS)
def test_a_body_that_was_decoded_by_the_crawler_is_taken_as_it_is(coding, pack):
    assert decoded_body(Response(200, PAGE, {"content-encoding": coding}), 100_000) == PAGE


def quick_brotli(data):
    return brotli.compress(data, quality=1)


@pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("br", quick_brotli), ("zstd", zstandard.compress)]
)
def test_a_bomb_is_stopped(coding, pack):
    bomb = pack(bytes(50_000_000))
    assert len(bomb) < 100_000
    assert reason(Response(200, bomb, {"content-encoding": coding})) == "too_large"


def test_encodings_in_layers_are_taken_off_last_first():
    body = gzip.compress(brotli.compress(PAGE))
    assert decoded_body(Response(200, body, {"content-encoding": "br, gzip"}), 100_000) == PAGE


def test_unknown_encodings_and_too_many_of_them_are_broken():
    assert reason(Response(200, PAGE, {"content-encoding": "rot13"})) == "broken_encoding"
    assert reason(Response(200, PAGE, {"content-encoding": "gzip,gzip,gzip,gzip"})) == "broken_encoding"


def test_chunks_are_joined_before_decompression():
    headers = {"transfer-encoding": "chunked", "content-encoding": "gzip"}
    assert decoded_body(Response(200, chunked(gzip.compress(PAGE)), headers), 100_000) == PAGE


def test_a_body_dechunked_by_the_crawler_is_taken_as_it_is():
    assert decoded_body(Response(200, PAGE, {"transfer-encoding": "chunked"}), 100_000) == PAGE


def test_a_chunk_cut_short_ends_the_page():
    found = decoded_body(Response(200, chunked(PAGE)[:290], {"transfer-encoding": "chunked"}), 100_000)
    assert PAGE.startswith(found)
    assert 200 < len(found) < 290


@pytest.mark.parametrize("size", [b"ffffffffffffffff", b"7fffffffffffffff", b"ffffffff"])
def test_a_chunk_that_claims_more_than_there_is_holds_what_is_there(size):
    body = size + b"\r\n<p>all there is"
    found = decoded_body(Response(200, body, {"transfer-encoding": "chunked"}), 100_000)
    assert found == b"<p>all there is"


def test_header_fields_are_read_whatever_their_case_and_line_ends():
    response = parse_response(b"HTTP/1.0 404 Not Found\nCONTENT-Type:  text/html \nno colon\n\nbody")
    assert (response.status, response.headers["content-type"], response.body) == (404, "text/html", b"body")


@pytest.mark.parametrize("block", [b"", b"<html>", b"HTTP/1.1 200 OK\r\nNo: end", b"GET / HTTP/1.1\r\n\r\n"])
def test_a_block_without_status_or_end_of_header_is_refused(block):
    with pytest.raises(BadResponseError, match="bad_http_header"):
        parse_response(block)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd", "", "chunked"]))
def test_random_bytes_never_raise_anything_else(body, coding):
    headers = {"transfer-encoding": coding} if coding == "chunked" else {"content-encoding": coding}
    try:
        decoded_body(Response(200, body, headers), 1000)
    except BadResponseError as error:
        assert str(error) in ("broken_encoding", "too_large")
