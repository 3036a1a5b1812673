from modtok.corpus.near_duplicates import NearDuplicates, shingles

WORDS = [f"word{index}" for index in range(300)]
DOCUMENT = " ".join(WORDS)


def answers(seed, texts, threshold=0.8):
    near = NearDuplicates(threshold=threshold, permutations=128, seed=seed)
    return [near.is_copy(text) for text in texts]


def test_a_run_of_five_words():
    assert list(shingles("a b  c\nd e f")) == [b"a b c d e", b"b c d e f"]
    assert list(shingles("too short")) == [b"too short"]


def test_the_later_of_two_similar_documents_is_the_copy():
    changed_word = " ".join([*WORDS[:150], "changed", *WORDS[151:]])  # 291 of 301 shingles in common
    half = " ".join([*WORDS[:150], *(f"other{index}" for index in range(150))])
    assert answers(1, [DOCUMENT, half, changed_word, DOCUMENT]) == [False, False, True, True]


def test_the_threshold_decides():
    half = " ".join([*WORDS[:150], *(f"other{index}" for index in range(150))])  # Jaccard 0.33
    assert answers(1, [DOCUMENT, half], threshold=0.2) == [False, True]


def test_same_seed_same_answers():
    texts = [" ".join(WORDS[start : start + 60]) for start in range(0, 240, 2)]
    assert answers(7, texts, 0.7) == answers(7, texts, 0.7)


def test_a_copy_is_not_remembered_so_similarity_is_no_chain():
    steps = [
        " ".join(WORDS[start : start + 100]) for start in (0, 8, 16, 24)
    ]  # neighbours 0.85, next but one 0.72
    assert answers(1, steps, threshold=0.8) == [False, True, False, True]


def test_a_page_of_many_words_goes_through_in_batches():
    assert answers(1, [" ".join(map(str, range(10_000)))] * 2) == [False, True]
