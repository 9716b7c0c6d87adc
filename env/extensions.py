"""A user's own code, named on a command line as `module:name`: a bot, a game, a network.

Importing a module runs whatever it contains. So a command imports such a module because the user
has typed its name there, and for no other reason: a name that stands in a file, such as that of a
saved model's game, is compared with what was typed and never imported.

The current folder is importable for such names. It comes after everything that is installed, so
that no file in it can take the place of a module of this program or of a library.
"""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

_FORM = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_MOST_NAMES = 6  # of what a module offers instead of a name that it lacks

Result = TypeVar("Result")


class ExtensionError(ValueError):
    """A user's own code that cannot be used; the message says why in one line."""


def is_extension(text: str) -> bool:
    """Whether a text has the form `module:name`."""
    return _FORM.fullmatch(text) is not None


def named_object(text: str) -> Any:
    """What `module:name` stands for. Imports the module."""
    module_name, _, name = text.partition(":")
    module = _module(module_name)
    try:
        return getattr(module, name)
    except AttributeError:
        offered = [key for key, value in vars(module).items() if _is_offered(module, key, value)]
        listed = ", ".join(offered[:_MOST_NAMES])
        has = f"it has {listed}" if listed else "it defines nothing of that kind"
        raise ExtensionError(
            f"there is no {name} in {module_name} ({_place(module)}): {has}"
        ) from None


def made(text: str, *arguments: Any) -> Any:
    """What the factory `module:name` makes of the arguments."""
    factory = named_object(text)
    if not callable(factory):
        raise ExtensionError(f"{text} is {described(factory)}, not a class or a function")
    return guarded(text, lambda: factory(*arguments))


def guarded(text: str, call: Callable[[], Result]) -> Result:
    """The result of a call of a user's code; whatever it raises becomes an error of one line."""
    try:
        return call()
    except (ExtensionError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # even sys.exit() in a user's file
        raise ExtensionError(f"{text} raised {_where(text.partition(':')[0], error)}") from error


def source_file(text: str) -> Path | None:
    """The file that `module:name`, imported already, comes from; None if it has none."""
    module = sys.modules.get(text.partition(":")[0])
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file)


def _module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and (name == missing or name.startswith(f"{missing}.")):
            file = name.replace(".", "/") + ".py"
            reason = f"there is no module {name}: no {file} in {here}, and none is installed"
            if name.endswith(".py"):
                reason = f"write the module without .py: {name.removesuffix('.py')}:NAME"
            raise ExtensionError(reason) from None
        raise ExtensionError(f"{name} cannot be imported: {_where(name, error)}") from error


def _where(module_name: str, error: BaseException) -> str:
    """An error with the line of the user's file where it happened."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError):
        return said  # names file and line itself
    frames = traceback.extract_tb(error.__traceback__)
    file = getattr(sys.modules.get(module_name), "__file__", None)
    stem = module_name.rpartition(".")[2]
    own = [f for f in frames if f.filename == file or Path(f.filename).stem == stem]
    if not own:
        return said
    return f"{said} ({Path(own[-1].filename).name}, line {own[-1].lineno})"


def _is_offered(module: ModuleType, key: str, value: Any) -> bool:
    """Whether a user may have meant this name: defined in the module itself, and public."""
    is_own = getattr(value, "__module__", None) == module.__name__
    return is_own and callable(value) and not key.startswith("_")


def _place(module: ModuleType) -> str:
    return str(getattr(module, "__file__", None) or "built in")


def described(value: Any) -> str:
    """`a list`, `an int`: what somebody handed over instead of the right thing."""
    article = "an" if type(value).__name__[0] in "aeiouAEIOU" else "a"
    return f"{article} {type(value).__name__}"
