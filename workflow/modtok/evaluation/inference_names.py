"""Names of inference tokenizers, for what loads no torch; inference_tokenizers.py says what they are."""

Langs = tuple[str, ...] | None
"languages of a subtokenizer, None for the full tokenizer"
LANG, FULL, FULL_LANG, UNION, SPLIT = "lang", "full", "full-lang", "en-lang-union", "en-lang-split"


def joined(langs: Langs) -> str:
    """As a table has them. joined(("en", "fi")) -> "en+fi"; joined(None) -> "" """
    return "+".join(langs or ())


def langs_of(text: str) -> Langs:
    """Undo `joined`. langs_of("en+fi") -> ("en", "fi"); langs_of("") -> None"""
    return tuple(text.split("+")) if text else None
