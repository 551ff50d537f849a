"""What the command can be told: its options, with examples."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from summarizer.cli.exits import WRONG

__all__ = ["parsed", "parser"]

_RUN = """\
examples:
  summarizer run session.jsonl --budget 2000
  summarizer run notes.md report.txt --budget 500 --focus "dates and prices"
  gzip -dc big.log.gz | summarizer run - --budget 1000 --model openai/gpt-4o-mini
  summarizer run session.jsonl --budget 4000 --format json --output result.json
  summarizer run session.jsonl --budget 4000 --previous result.json

The text goes to stdout, everything else to stderr. Exit code: 0 complete, 3 partial, 2 wrong usage or
unreadable input, 130 or 143 interrupted (what was finished is printed all the same).
"""

_PLAN = """\
examples:
  summarizer plan session.jsonl --budget 2000
  summarizer plan session.jsonl --budget 20000 --model anthropic/claude-sonnet-4-5 --format json

Shows chunks, tokens and cost. Nothing is sent.
"""


_CEILINGS = """\
examples:
  summarizer ceilings
  summarizer ceilings show openai/gpt-4o-mini
  summarizer ceilings set openai/my-model 8192
  summarizer ceilings forget openai/my-model
"""

_ACTIONS = {
    "list": "list the endpoints and what each can write and read",
    "show": "show an endpoint's numbers and the observations behind them",
    "set": "take a number for the most that an endpoint can write",
    "forget": "forget what was learned of an endpoint",
}

_JOURNAL = """\
examples:
  summarizer journal
  summarizer journal stats --format json
  summarizer journal clear --older-than 30
  summarizer journal clear --yes
"""

_RECALL = """\
examples:
  summarizer recall search deploy key rotation
  summarizer recall search '"connection refused" src/app/main.py' --tokens 2000
  summarizer recall search 端口 --format json
  summarizer recall expand result.json
  summarizer recall expand result.json --section 3 --tokens 8000

What was summarized is kept for 30 days (SUMMARIZER_RECALL_DAYS) unless SUMMARIZER_RECALL is off.
"""

_SERVE = """\
examples:
  summarizer serve
  summarizer serve --port 9000 --model openai/gpt-4o-mini --model offline/extractive
  curl http://127.0.0.1:8765/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"max_tokens": 500, "messages": [{"role": "user", "content": "Summarize this:\\n\\n..."}]}'

A client is given the base URL http://127.0.0.1:8765/v1, any key, and the model name 'summarizer'. Its
max_tokens is the most that the summary may have. Several messages are summarized as they are; one long
prompt is parted into its instructions and its material. finish_reason is 'stop' for complete, 'length' where
parts are missing. It listens to this machine alone, and needs: pip install 'summarizer-gateway[server]'
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage is one ``--help`` away."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command; ``options.run`` is the function that carries it out."""
    top = _Parser(
        prog="summarizer",
        allow_abbrev=False,
        description="Turn any amount of input into text of bounded size, through whichever models you have.",
        epilog="'summarizer COMMAND --help' shows the options and examples of a command.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_run(commands)
    _add_plan(commands)
    _add_ceilings(commands)
    _add_journal(commands)
    _add_recall(commands)
    _add_serve(commands)
    return top


def parsed(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What the words say; exits with code 2 and one line where they say nothing.

    argparse takes files before the options or behind them, but not both: here they may stand anywhere.
    """
    found = parser()
    options, rest = found.parse_known_args(argv)
    unknown = [word for word in rest if word.startswith("-") and word != "-"]
    if unknown or (rest and not hasattr(options, "files")):
        found.error(f"unrecognized arguments: {' '.join(unknown or rest)}")
    if rest:
        options.files = [*options.files, *rest]
    return options


class _Version(argparse.Action):
    """Looked up when it is asked for: reading the package's metadata takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version("summarizer-gateway")
        except PackageNotFoundError:
            found = "of a checkout that is not installed"
        print(f"summarizer {found}")  # noqa: T201
        parser.exit()


def _add_run(commands: Any) -> None:
    run = _command(commands, "run", "summarize files or standard input", _RUN)
    _add_input(run)
    run.add_argument("--previous", metavar="FILE", help="go on from this result (its JSON)")
    run.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="of the result")
    run.add_argument("--output", metavar="FILE", help="write the result there instead of stdout")
    run.add_argument("--deadline", metavar="SECONDS", help="return after so long with what is there")
    run.add_argument("--quiet", action="store_true", help="no progress and no closing line")
    run.set_defaults(run=_run)


def _add_plan(commands: Any) -> None:
    plan = _command(commands, "plan", "show what would be sent, without sending it", _PLAN)
    _add_input(plan)
    plan.add_argument("--format", choices=("text", "json"), default="text", help="of the plan")
    plan.set_defaults(run=_plan)


def _add_ceilings(commands: Any) -> None:
    ceilings = _command(commands, "ceilings", "what was learned of each model endpoint", _CEILINGS)
    ceilings.set_defaults(run=_ceilings, action="list", format="text")
    actions = ceilings.add_subparsers(metavar="ACTION", dest="action", parser_class=_Parser)
    for name, what in _ACTIONS.items():
        action = actions.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        if name != "list":
            action.add_argument("model", metavar="MODEL", help="a name, or a whole key from the list")
        if name == "set":
            action.add_argument("tokens", metavar="TOKENS", help="the most that one call can write")
        if name in ("list", "show"):
            action.add_argument("--format", choices=("text", "json"), default="text", help="of what is shown")
        action.set_defaults(run=_ceilings)


def _add_journal(commands: Any) -> None:
    journal = _command(commands, "journal", "what is kept of earlier runs, and how to be rid of it", _JOURNAL)
    journal.set_defaults(run=_journal, action="stats", format="text")
    actions = journal.add_subparsers(metavar="ACTION", dest="action", parser_class=_Parser)
    stats = actions.add_parser("stats", help="show how much is kept, and where", allow_abbrev=False)
    stats.add_argument("--format", choices=("text", "json"), default="text", help="of what is shown")
    clear = actions.add_parser("clear", help="remove what is kept", allow_abbrev=False)
    clear.add_argument("--older-than", metavar="DAYS", help="only what was not used for so many days")
    clear.add_argument("--yes", action="store_true", help="without asking")
    for action in (stats, clear):
        action.set_defaults(run=_journal)


def _add_recall(commands: Any) -> None:
    recall = _command(commands, "recall", "look up what was summarized", _RECALL)
    actions = recall.add_subparsers(metavar="ACTION", dest="action", parser_class=_Parser, required=True)
    search = actions.add_parser("search", help="search for words, phrases, identifiers", allow_abbrev=False)
    search.add_argument("query", nargs="+", metavar="QUERY", help='words, "quoted phrases", identifiers')
    search.add_argument("--tokens", metavar="N", default="1000", help="the most that is shown (1,000)")
    expand = actions.add_parser("expand", help="show the records behind a result", allow_abbrev=False)
    expand.add_argument("result", metavar="RESULT.json", help="what 'run --format json' gave; - reads stdin")
    expand.add_argument("--section", metavar="N", help="only behind this section, from 1")
    expand.add_argument("--tokens", metavar="N", default="4000", help="the most that is shown (4,000)")
    for action in (search, expand):
        action.add_argument("--format", choices=("text", "json"), default="text", help="of what is shown")
        action.set_defaults(run=_recall)


def _add_serve(commands: Any) -> None:
    serve = _command(commands, "serve", "serve summaries to any OpenAI client, by base URL", _SERVE)
    serve.add_argument("--host", default="127.0.0.1", help="an address of this machine alone (127.0.0.1)")
    serve.add_argument("--port", default="8765", help="to listen on (8765); 0 takes any that is free")
    _add_models(serve)
    serve.add_argument(
        "--budget",
        metavar="TOKENS",
        help="the length where a request says none (a tenth of its input, 1,000 to 50,000)",
    )
    serve.add_argument("--quiet", action="store_true", help="no line for each request")
    serve.set_defaults(run=_serve)


def _add_models(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--model", action="append", metavar="NAME", help="as litellm names it; repeat for a ladder of models"
    )


def _command(commands: Any, name: str, what: str, examples: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        allow_abbrev=False,
        help=what,
        description=f"{what[0].upper()}{what[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return command


def _add_input(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="chat JSONL, a JSON array, Markdown, text, each also gzipped; - reads stdin",
    )
    command.add_argument("--budget", metavar="TOKENS", required=True, help="the most the text may have")
    command.add_argument("--shape", choices=("auto", "sections", "one"), default="auto", help="of the text")
    command.add_argument(
        "--recent",
        type=float,
        default=1.0,
        metavar="X",
        help="with --previous: room of the newest records for each token of room that the oldest get (1.0)",
    )
    _add_models(command)
    command.add_argument("--focus", metavar="TEXT", help="what to keep above all else")
    command.add_argument("--instructions", metavar="TEXT", help="added to the built-in prompt")
    command.add_argument("--max-cost", metavar="DOLLARS", help="start no call that could pass this cost")
    command.add_argument(
        "--input-format",
        choices=("auto", "jsonl", "json", "text", "markdown"),
        default="auto",
        help="of the files, where their names do not tell",
    )


def _run(options: argparse.Namespace) -> int:
    from summarizer.cli.run import run

    return run(options)


def _plan(options: argparse.Namespace) -> int:
    from summarizer.cli.plan import plan

    return plan(options)


def _recall(options: argparse.Namespace) -> int:
    from summarizer.cli.recall import recall

    return recall(options)


def _ceilings(options: argparse.Namespace) -> int:
    from summarizer.cli.ceilings import ceilings

    if options.action is None:
        options.action = "list"
    return ceilings(options)


def _journal(options: argparse.Namespace) -> int:
    from summarizer.cli.journal import journal

    if options.action is None:
        options.action = "stats"
    return journal(options)


def _serve(options: argparse.Namespace) -> int:
    from summarizer.cli.serve import serve

    return serve(options)
