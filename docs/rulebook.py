"""Reads the list of a provider's rules out of the validator that keeps them.

Knows Python's syntax tree and how the validators are written: a rule's name, the place, and what the provider would say are the
arguments of ``Violation`` or of a function that makes one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def rules(path: Path, prefix: str) -> dict[str, list[str]]:
    """What the provider says, by rule, in the order of the source; ``…`` stands for what depends on the payload."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    functions = _shared(tree, path) | own
    texts = {
        target.id: _text(node.value, {}, functions)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found: dict[str, list[str]] = {}
    for function in own.values():
        known = dict(texts)
        for node in sorted(_nodes(function), key=lambda node: (node.lineno, node.col_offset)):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        known[target.id] = _text(node.value, known, functions)
            elif rule := _rule(node, prefix):
                said = next((text for argument in node.args[3:] if (text := _text(argument, known, functions))), "")
                found.setdefault(rule, [])
                if said and said not in found[rule]:
                    found[rule].append(said)
    return found


def _shared(tree: ast.Module, path: Path) -> dict[str, ast.FunctionDef]:
    """Functions that the validator takes from modules beside its package."""
    found: dict[str, ast.FunctionDef] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module:
            names = {alias.name for alias in node.names}
            module = ast.parse((path.parents[1] / f"{node.module}.py").read_text(encoding="utf-8"))
            found |= {each.name: each for each in module.body if isinstance(each, ast.FunctionDef) and each.name in names}
    return found


def _nodes(function: ast.FunctionDef) -> Iterator[ast.Assign | ast.Call]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.Call):
            yield node


def _rule(call: ast.Call, prefix: str) -> str:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return ""
    if name == "add":
        return f"{prefix}.{first.value}"
    return first.value if first.value.startswith(f"{prefix}.") else ""


def _text(node: ast.expr, known: dict[str, str], functions: dict[str, ast.FunctionDef]) -> str:
    """The text of an expression, as far as it can be read off."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=pieces):
            return "".join(_text(piece, known, functions) or "…" for piece in pieces)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (_text(left, known, functions) or "…") + (_text(right, known, functions) or "…")
        case ast.IfExp(body=body, orelse=other):
            return _text(body, known, functions) or _text(other, known, functions)
        case ast.Name(id=name):
            return known.get(name, "")
        case ast.Call(func=ast.Name(id=name)) if name in functions:
            returned = [inner.value for inner in ast.walk(functions[name]) if isinstance(inner, ast.Return) and inner.value]
            return _text(returned[-1], {}, functions) if returned else ""
        case _:
            return ""
