"""A digest of the code that a rule runs, for its params.

Snakemake does not see an edit of an imported module. The digest follows imports inside modtok. Comments,
docstrings and layout do not count, nor do time and place.
"""

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeGuard

from modtok.core.provenance import PACKAGE, digest

Names = frozenset[str] | None
"Definitions of a module that count; None for all of it."


def code_digest(
    *modules: str,
    doorways: Sequence[str] = (),
    only: Mapping[str, Iterable[str]] | None = None,
    apart: Collection[str] = (),
) -> str:
    """A digest of modtok modules and all that they import inside modtok; of `doorways` without their imports.

    Of a module in `only` no more counts than the definitions named there or imported from it, and what those
    use: so that a rule with one job per function runs again for its own function alone. A definition in
    `apart` does not count by being imported: the rule has what it takes of it among its params.
    code_digest("tokenization.bpe", doorways=["cli"])
    code_digest("steps.table", only={"reporting.tables": ["table_1"]})
    """
    parts = {**dict.fromkeys(doorways), **_closure(modules, only or {}, apart)}
    texts: list[str | bytes] = []
    for module, names in sorted(parts.items()):
        texts += [module, _code(module, names), *_data(module, names)]
    return digest(*texts)


def _closure(
    modules: Iterable[str], only: Mapping[str, Iterable[str]], apart: Collection[str]
) -> dict[str, Names]:
    """The modules, those that they import at any remove, and what of each counts."""
    counted = {module: frozenset(names) for module, names in only.items()}
    found: dict[str, Names] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        names = counted.get(module)
        if module not in found or found[module] != names:
            found[module] = names
            for imported, wanted in _imports(module, names):
                if imported in counted:
                    counted[imported] |= {name for name in wanted if f"{imported}.{name}" not in apart}
                waiting.append(imported)
    return found


@cache
def _imports(module: str, names: Names) -> tuple[tuple[str, frozenset[str]], ...]:
    """Modules of modtok in the import statements of a part, at any depth, and the names taken from each."""
    pairs: list[tuple[str, frozenset[str]]] = []
    for node in _nodes(module, names):
        if isinstance(node, ast.ImportFrom) and node.module:
            wanted = frozenset(alias.name for alias in node.names)
            pairs += [(node.module, wanted), *((f"{node.module}.{name}", frozenset()) for name in wanted)]
        elif isinstance(node, ast.Import):
            pairs += [(alias.name, frozenset()) for alias in node.names]
    inside = [(name.removeprefix("modtok."), wanted) for name, wanted in pairs if name.startswith("modtok.")]
    return tuple((name, wanted) for name, wanted in inside if _path(name) is not None)


def _data(module: str, names: Names) -> list[bytes]:
    """Contents of the data files beside a module that are named by a string of it, such as "paper.tsv"."""
    strings = {node.value for node in _nodes(module, names) if isinstance(node, ast.Constant)}
    beside = sorted(_found(module).parent.iterdir())
    named = [path for path in beside if path.name in strings and path.is_file()]
    return [path.read_bytes() for path in named if path.suffix != ".py"]


@cache
def _nodes(module: str, names: Names) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_part(module, names)))


@cache
def _code(module: str, names: Names) -> str:
    """What a part does: its syntax tree, without the strings that stand alone as statements."""
    tree = _part(module, names)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _part(module: str, names: Names) -> ast.Module:
    """The syntax tree of a module, or of the definitions that count."""
    tree = ast.parse(_source(module))
    if names is not None:
        tree.body = _used(tree.body, names)
    return tree


def _used(body: Sequence[ast.stmt], names: Iterable[str]) -> list[ast.stmt]:
    """The statements that bind the names, those that they use in turn, and those that bind none."""
    needed = set(names)
    while True:
        kept = [statement for statement in body if not (bound := _bound(statement)) or bound & needed]
        named = {node.id for part in kept for node in ast.walk(part) if isinstance(node, ast.Name)}
        if named <= needed:
            return kept
        needed |= named


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a definition, an import or an assignment gives; none for any other statement."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {alias.asname or alias.name.partition(".")[0] for alias in aliases}
        case ast.Assign(targets=targets):
            return {node.id for target in targets for node in ast.walk(target) if _is_stored(node)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


@cache
def _source(module: str) -> str:
    return _found(module).read_text(encoding="utf-8")


def _found(module: str) -> Path:
    path = _path(module)
    assert path is not None, f"no module modtok.{module}"
    return path


@cache
def _path(module: str) -> Path | None:
    base = PACKAGE.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)
