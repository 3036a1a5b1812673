"""The looks of the smoke corpus: four page templates and what sites of six languages put around their text.

Real crawls wrap a few paragraphs in far more navigation, script and legal small print. The extractor has to
find the former in the latter, so the templates are as unlike each other as the web is: a portal, a table
layout, a blog, a wiki.
"""

from __future__ import annotations

import html
from typing import NamedTuple


class Words(NamedTuple):
    """What a site says outside its articles, in one language."""

    home: str
    news: str
    culture: str
    sport: str
    contact: str
    archive: str
    search: str
    more: str
    comments: str
    edit: str
    history: str
    rights: str
    cookies: str
    about: str


def in_words(labels: str, cookies: str, about: str) -> Words:
    """`labels` are the short ones in the order of the fields, with a bar between them."""
    return Words(*labels.split("|"), cookies, about)


WORDS = {
    "en": in_words(
        "Home|News|Culture|Sport|Contact|Archive|Search|Read more|Comments|Edit|View history"
        "|All rights reserved",
        "We use cookies. By staying on this page you accept them.",
        "This site is run by a small group of volunteers who write about the place where they live. "
        "Corrections and stories from readers are welcome, and every letter is answered within a week.",
    ),
    "fr": in_words(
        "Accueil|Actualités|Culture|Sport|Contact|Archives|Rechercher|Lire la suite|Commentaires"
        "|Modifier|Voir l’historique|Tous droits réservés",
        "Nous utilisons des cookies. En restant sur cette page, vous les acceptez.",
        "Ce site est tenu par un petit groupe de bénévoles qui écrivent sur l’endroit où ils vivent. Les "
        "corrections et les récits des lecteurs sont les bienvenus, et chaque lettre "
        "reçoit une réponse dans la semaine.",
    ),
    "fi": in_words(
        "Etusivu|Uutiset|Kulttuuri|Urheilu|Yhteystiedot|Arkisto|Haku|Lue lisää|Kommentit|Muokkaa"
        "|Näytä historia|Kaikki oikeudet pidätetään",
        "Käytämme evästeitä. Jatkamalla sivulla hyväksyt ne.",
        "Tätä sivustoa pitää yllä pieni joukko vapaaehtoisia, jotka kirjoittavat kotiseudustaan. Lukijoiden "
        "korjaukset ja tarinat ovat tervetulleita, ja jokaiseen kirjeeseen vastataan viikon kuluessa.",
    ),
    "bg": in_words(
        "Начало|Новини|Култура|Спорт|Контакти|Архив|Търсене|Прочетете още|Коментари|Редактиране"
        "|История на промените|Всички права запазени",
        "Използваме бисквитки. Ако останете на страницата, вие ги приемате.",
        "Този сайт се поддържа от малка група доброволци, които пишат за мястото, където живеят. Поправките "
        "и разказите на читателите са добре дошли, а на всяко писмо отговаряме до една седмица.",
    ),
    "el": in_words(
        "Αρχική|Ειδήσεις|Πολιτισμός|Αθλητισμός|Επικοινωνία|Αρχείο|Αναζήτηση|Περισσότερα|Σχόλια"
        "|Επεξεργασία|Προβολή ιστορικού|Με επιφύλαξη παντός δικαιώματος",
        "Χρησιμοποιούμε cookies. Αν μείνετε στη σελίδα, τα αποδέχεστε.",
        "Ο ιστότοπος αυτός συντηρείται από μια μικρή ομάδα εθελοντών που γράφουν για τον τόπο όπου ζουν. Οι "
        "διορθώσεις και οι ιστορίες των αναγνωστών είναι ευπρόσδεκτες, και κάθε γράμμα "
        "απαντιέται μέσα σε μία εβδομάδα.",
    ),
    "te": in_words(
        "హోమ్|వార్తలు|సంస్కృతి|క్రీడలు|సంప్రదించండి|పాత సంచికలు|వెతకండి|ఇంకా చదవండి|వ్యాఖ్యలు|సవరించు|మార్పుల చరిత్ర|సర్వహక్కులు మావే",
        "మేము కుకీలను వాడతాము. ఈ పేజీలో కొనసాగితే మీరు వాటిని అంగీకరించినట్లే.",
        "తాము నివసించే ఊరి గురించి రాసే కొద్దిమంది స్వచ్ఛంద కార్యకర్తలు ఈ సైటును నడుపుతున్నారు. "
        "పాఠకులు పంపే సవరణలకు, కథలకు స్వాగతం, ప్రతి ఉత్తరానికీ వారం లోపు సమాధానం ఇస్తాము.",
    ),
}

# Letters that editors of old pages typed as references; each one reads back as the same character.
REFERENCES = str.maketrans(
    {
        "«": "&laquo;",
        "»": "&raquo;",
        "’": "&#8217;",
        "–": "&#x2013;",
        "—": "&mdash;",
        "“": "&ldquo;",
        "”": "&rdquo;",
        "„": "&bdquo;",
        "é": "&eacute;",
        "ä": "&auml;",
        "о": "&#1086;",
        "ο": "&#x3BF;",
        "అ": "&#3077;",
    }
)


class View(NamedTuple):
    """What a template needs of a page; `blocks` are paragraphs in HTML, `meta` the charset label or ''."""

    lang: str
    title: str
    blocks: list[str]
    meta: str
    number: int

    @property
    def words(self) -> Words:
        return WORDS[self.lang]

    @property
    def heading(self) -> str:
        return html.escape(self.title, quote=False)


def dress(paragraph: str, number: int) -> str:
    """A paragraph in HTML, with a link, an emphasis and references at places that `number` fixes.

    Text is what stays when the markup is taken away again, to the character.
    """
    words = html.escape(paragraph, quote=False).split(" ")
    linked, stressed = number % len(words), (7 * number + 3) % len(words)
    if linked != stressed:
        words[linked] = f'<a href="/tag/{number}?a=1&amp;b=2">{words[linked]}</a>'
    words[stressed] = f"<em>{words[stressed]}</em>" if number % 2 else f"<b>{words[stressed]}</b>"
    dressed = " ".join(words)
    return dressed.translate(REFERENCES) if number % 4 == 0 else dressed


def fold(block: str) -> str:
    """Line ends between some words, as editors leave them: to a browser they are single spaces."""
    words = block.split(" ")
    return "\n".join(" ".join(words[start : start + 12]) for start in range(0, len(words), 12))


def links(view: View, item: str, separator: str = "\n") -> str:
    """The site's sections, each through the pattern `item` with its {url} and {name}."""
    names = view.words[:6]
    return separator.join(item.format(url=f"/{view.lang}/{n}/", name=name) for n, name in enumerate(names))


def portal(view: View) -> str:
    """A news portal of today: HTML5 sections, structured data, scripts that hold markup, a cookie banner."""
    words, body = view.words, "\n".join(f"<p>{block}</p>" for block in view.blocks)
    charset = f'<meta charset="{view.meta}">' if view.meta else ""
    return f"""<!DOCTYPE html>
<html lang="{view.lang}"><head>{charset}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{view.heading} | {words.news}</title>
<style>body{{margin:0;font:16px/1.5 sans-serif}} nav a::after{{content:" \\2022 "}}</style>
<script type="application/ld+json">{{"@type":"NewsArticle","identifier":{view.number}}}</script>
<script>window.dataLayer=[];if(1<2&&!window.seen){{document.write("<div class='ad'></div>")}}</script></head>
<body><div class="cookie-banner" role="dialog"><p>{words.cookies}</p><button>OK</button></div>
<header><a class="logo" href="/">{words.home}</a>
<form role="search"><input placeholder="{words.search}"></form></header>
<nav><ul>{links(view, '<li><a href="{url}">{name}</a></li>')}</ul></nav>
<main><article><h1>{view.heading}</h1>
{body}
</article></main>
<aside><h3>{words.more}</h3>
<ul>{links(view, '<li><a href="{url}latest">{name} &raquo;</a></li>')}</ul></aside>
<footer><p>&copy; {words.rights}</p>{links(view, '<a href="{url}">{name}</a>', " | ")}</footer>
<script src="/static/app.js" async></script></body></html>
"""


def table_layout(view: View) -> str:
    """A page as made around 2000: tables, upper-case tags, unquoted attributes, paragraphs never closed."""
    words, body = view.words, "\n".join(f"<P ALIGN=justify>{fold(block)}" for block in view.blocks)
    charset = f'<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset={view.meta}">' if view.meta else ""
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<HTML><HEAD><TITLE>{view.heading}</TITLE>
{charset}
</HEAD><BODY BGCOLOR=#FFFFFF LINK=#003399><CENTER>
<TABLE WIDTH=760 BORDER=0 CELLPADDING=4>
<TR><TD COLSPAN=2 BGCOLOR=#003399><FONT COLOR=white SIZE=5>{words.home}</FONT></TD></TR>
<TR><TD WIDTH=140 VALIGN=top>{links(view, "<A HREF={url}>{name}</A><BR>")}&nbsp;</TD>
<TD VALIGN=top><H2>{view.heading}</H2>
{body}
</TD></TR>
<TR><TD COLSPAN=2 ALIGN=center><HR><FONT SIZE=1>&copy; {words.rights}<BR>{words.contact}</FONT></TD></TR>
</TABLE></CENTER></BODY></HTML>
"""


def blog(view: View) -> str:
    """A weblog whose editor writes line breaks for paragraphs, with a side bar and an empty comment form."""
    words, body = view.words, "<br />\n<br />\n".join(view.blocks)
    charset = f'<meta http-equiv=content-type content="text/html;charset={view.meta}"/>' if view.meta else ""
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head>{charset}<title>{view.heading}</title>
<!-- theme: paper --><link rel="alternate" type="application/rss+xml" href="/feed/" /></head>
<body class="single"><div id="wrap">
<div id="menu">{links(view, '<a href="{url}">{name}</a>', " &middot; ")}</div>
<div id="content"><div class="post" id="post-{view.number}"><h2 class="title">{view.heading}</h2>
<div class="entry">{body}</div></div>
<div id="comments"><h3>{words.comments} (0)</h3>
<form action="/c"><textarea name="c"></textarea></form></div></div>
<div id="sidebar"><h4>{words.archive}</h4>
<ul>{links(view, '<li><a href="{url}feed">{name}</a></li>')}</ul></div>
<div id="footer">{words.rights}. {words.cookies}</div></div></body></html>
"""


def wiki(view: View) -> str:
    """An encyclopedia page: edit links, footnote marks after the paragraphs, categories, many links."""
    words = view.words
    footnote = '<sup class="reference"><a href="#n{0}">[{0}]</a></sup>'
    body = "\n".join(f"<p>{block}{footnote.format(n)}</p>" for n, block in enumerate(view.blocks, 1))
    charset = f'<meta charset="{view.meta}"/>' if view.meta else ""
    return f"""<!DOCTYPE html>
<html class="client-nojs" lang="{view.lang}" dir="ltr"><head>{charset}<title>{view.heading}</title></head>
<body><div id="mw-page-base" class="noprint"></div><div id="content" class="mw-body" role="main">
<h1 id="firstHeading">{view.heading}</h1><div id="bodyContent"><div id="mw-content-text" lang="{view.lang}">
{body}
<span class="mw-editsection">[<a href="/edit/{view.number}">{words.edit}</a>]</span></div>
<div id="catlinks">{links(view, '<a href="{url}">{name}</a>', " | ")}</div></div></div>
<div id="mw-navigation"><ul><li>{words.home}</li><li>{words.edit}</li><li>{words.history}</li></ul></div>
<div id="footer" role="contentinfo"><ul><li>{words.rights}</li><li>{words.contact}</li></ul></div>
</body></html>
"""


TEMPLATES = {"portal": portal, "table": table_layout, "blog": blog, "wiki": wiki}


def render(template: str, lang: str, title: str, paragraphs: list[str], meta: str, number: int) -> str:
    """The page as text, before any charset; `number` fixes where links and references stand."""
    blocks = [dress(paragraph, number + place) for place, paragraph in enumerate(paragraphs)]
    return TEMPLATES[template](View(lang, title, blocks, meta, number))
