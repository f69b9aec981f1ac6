"""Functions and commands made from the options of tasks."""

import inspect
import pydoc
from pathlib import Path

import pytest

import tercet
from tercet import tasks
from tercet.options import declared

GROUPS = {"kb": tercet.kb, "qe": tercet.qe, "rate": tercet.rate}
MADE = {
    name: function
    for name, function in [
        *((name, getattr(tercet, name)) for name in tercet.__all__),
        *((f"{group}.{name}", getattr(module, name)) for group, module in GROUPS.items() for name in module.__all__),
    ]
    if hasattr(function, "options")
}


def test_the_functions_of_tasks_are_known_here():
    names = (
        "agree check compare entities kb.build kb.info learn link lm meta qe.rank qe.train rate.new rate.serve report "
        "score"
    )
    assert set(names.split()) <= set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_a_function_has_the_options_of_its_task_as_keywords(name):
    parameters = inspect.signature(MADE[name]).parameters
    options = {each.name: each for each in declared(MADE[name].options).values() if each.in_python}
    shown = {
        each: (inspect.Parameter.empty if option.required else option.default, option.annotation)
        for each, option in options.items()
    }
    assert {each: (p.default, p.annotation) for each, p in parameters.items() if each in options} == shown
    assert not any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters.values())
    helped = pydoc.render_doc(MADE[name])
    assert all(f"    {each} : " in helped for each in options)
    needed = {each: "x" for each, p in parameters.items() if p.default is p.empty}
    with pytest.raises(TypeError, match="unexpected keyword argument 'no_such_option'"):
        MADE[name](**needed, no_such_option=1)


@pytest.mark.parametrize("path", sorted(Path(tasks.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_examples_in_help_keep_their_lines(path):
    assert "\\\\b\n" not in path.read_text("utf-8")  # Click's mark for it is the character \b, not two characters
