"""The writing systems of tokens: Unicode's Script property of the characters of a token's text.

Common, Inherited and Unknown are no scripts. A token that is not UTF-8 by itself has no text, so no script.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import regex

from modtok.core.errors import ConfigError, require
from modtok.tokenization.alphabet import text_of

# Unicode's names. Those that the installed `regex` is too old for have no characters.
_NAMES = """
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali
    Beria_Erfe Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian
    Caucasian_Albanian Chakma Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic
    Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay
    Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul
    Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inscriptional_Pahlavi
    Inscriptional_Parthian Javanese Jurchen Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi
    Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu
    Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin
    Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani
    Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham
    Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian
    Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau
    Phags_Pa Phoenician Proto_Cuneiform Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Seal Sharada
    Shavian Siddham Sidetic SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar
    Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo Takri Tamil Tangsa Tangut Telugu
    Thaana Thai Tibetan Tifinagh Tirhuta Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Vai Vithkuqi
    Wancho Warang_Citi Yezidi Yi Zanabazar_Square
"""
NAMES: tuple[str, ...] = tuple(_NAMES.split())
Scripts = frozenset[str]


class ScriptTable:
    """The script of each character of some texts. Example: ScriptTable(["Їжак"]).of("Ї") -> {"Cyrillic"}."""

    def __init__(self, texts: Iterable[str]) -> None:
        characters = "".join(sorted(set().union(*texts)))
        self._script = {
            character: name
            for name in NAMES
            if (pattern := _pattern(name)) is not None
            for character in pattern.findall(characters)
        }

    def of(self, text: str) -> Scripts:
        """The scripts of a text, made of characters that the table was built from."""
        return frozenset(self._script[character] for character in text if character in self._script)


def scripts_by_token(tokens: Mapping[int, bytes]) -> dict[int, Scripts]:
    """The scripts of each token that has any. scripts_by_token({7: b"a", 9: b"1"}) -> {7: {"Latin"}}."""
    texts = {number: text for number, token in tokens.items() if (text := text_of(token))}
    table = ScriptTable(texts.values())
    found = {number: table.of(text) for number, text in texts.items()}
    return {number: scripts for number, scripts in found.items() if scripts}


def rows_by_script(scripts: Mapping[int, Scripts], ids: Iterable[int] | None = None) -> dict[str, int]:
    """Number of tokens by script, the most first; a token of several scripts counts under "Han+Latin"."""
    chosen = scripts if ids is None else (number for number in ids if number in scripts)
    counted = Counter("+".join(sorted(scripts[number])) for number in chosen)
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def check_names(option: str, names: Sequence[str]) -> tuple[str, ...]:
    """Unicode's spelling of script names, whatever their case. Errors: an unknown name, one given twice."""
    known = {name.casefold(): name for name in NAMES if _pattern(name) is not None}
    for name in names:
        near = ", ".join(other for other in known.values() if other[:2].casefold() == name[:2].casefold())
        remedy = (
            f"did you mean one of {near}?" if near else "use Unicode's names, such as Latin, Han, Cyrillic"
        )
        require(name.casefold() in known, f"{option} {name!r}: no such script; {remedy}", ConfigError)
    found = tuple(known[name.casefold()] for name in names)
    require(len(set(found)) == len(found), f"{option}: a script is given twice; give it once", ConfigError)
    return found


@cache
def _pattern(name: str) -> "regex.Pattern[str] | None":
    try:
        return regex.compile(rf"\p{{Script={name}}}")
    except regex.error:
        return None
