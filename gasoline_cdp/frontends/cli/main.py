"""The command line. Each command imports what it needs when it runs, so the quick ones start quickly."""

import argparse
import errno
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.invocation import UsageError, say
from gasoline_cdp.frontends.option_groups import refuse_unused
from gasoline_cdp.frontends.options import config_of, parse


def main(arguments: Sequence[str]) -> int:
    """Run a command. Exit codes: 0 done, 1 failed with a reason on stderr, 2 wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot encode a character shows a question mark; no exception. (None: closed by the caller.)
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if list(arguments[:2]) == ["mcp", "--daemon"]:
        return _guarded(lambda: _daemon(arguments))
    return _guarded(lambda: _command(arguments))


def _command(arguments: Sequence[str]) -> int:
    if not arguments:
        arguments = ["--help"]
        # No command was given: print the help as an error.
        sys.stdout = sys.stderr
        try:
            parse(arguments)
        except SystemExit:
            return 2
    if arguments[0] in {"call", "observe"}:
        from gasoline_cdp.frontends.cli.calling import run_call

        return run_call(arguments[0], arguments[1:])
    options = parse(arguments)
    _log(verbose=options.verbose)
    return _COMMANDS[options.command](options)


def _log(*, verbose: bool) -> None:
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.CRITICAL,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )


def _guarded(run: Callable[[], int]) -> int:
    """Run a command, and report any failure in one line."""
    try:
        code = run()
        if sys.stdout is not None:
            # Here and not when the interpreter exits, where a full disk would print a traceback.
            sys.stdout.flush()
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except GasolineError as error:
        say(error.message)
        return 1
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:
        # `… | head`: the reader has closed the pipe. Python would complain again when it closes stdout.
        _silence_stdout()
        return 0
    except Exception as error:
        logging.getLogger(__name__).exception("the command failed")
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EIO, errno.EDQUOT}:
            _silence_stdout()
            say(f"Cannot write: {error.strerror}.")
        else:
            say(f"internal error ({type(error).__name__}). Run it again with --verbose, and report it.")
        return 1
    return code


def _silence_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _launch(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.serve import serve_daemon
    from gasoline_cdp.frontends.signals import run_until_signal

    config = config_of(options)
    _take_over()
    return run_until_signal(serve_daemon, config, say)


def _attach(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.serve import serve_daemon
    from gasoline_cdp.frontends.signals import run_until_signal

    config = config_of(options)
    _take_over()
    return run_until_signal(serve_daemon, config, say)


def _take_over() -> None:
    """A person who launches a browser wants that one: stop the daemon that an editor started."""
    from gasoline_cdp.frontends.local import bridge

    if (daemon := bridge.connect()) is None:
        return
    daemon.close()
    if ended := bridge.stop(only_editors=True):
        say(f"Ended the gasoline-cdp that an editor had started (process {ended['pid']}); editors join this one.")


def _mcp(options: argparse.Namespace) -> int:
    if not options.standalone:
        from gasoline_cdp.frontends.local.bridge_command import run_bridge

        arguments = [argument for argument in sys.argv[2:] if argument != "--verbose"]
        return run_bridge(arguments, serve_refusal)
    from gasoline_cdp.frontends.signals import run_until_signal
    from gasoline_cdp.frontends.standalone import serve_stdio

    return run_until_signal(serve_stdio, options, say)


def _daemon(arguments: Sequence[str]) -> int:
    """Run the daemon in the background; a bridge started it."""
    from gasoline_cdp.frontends.local.background import detach
    from gasoline_cdp.frontends.serve import serve_daemon
    from gasoline_cdp.frontends.signals import run_until_signal

    directory = Path.cwd()
    background = detach()
    try:
        options = parse(arguments, directory)
        _log(verbose=options.verbose)
        return run_until_signal(serve_daemon, config_of(options, directory), say, background, options.idle_seconds)
    except UsageError as error:
        background.misunderstood(str(error))
        return 2
    except GasolineError as error:
        background.refused(error)
        raise


def serve_refusal(error: GasolineError, arguments: Sequence[str]) -> int:
    """Run an MCP server that says why there is no daemon. `arguments` are those of `mcp`."""
    from gasoline_cdp.frontends import serve
    from gasoline_cdp.frontends.client_options import client_options_of
    from gasoline_cdp.frontends.signals import run_until_signal

    _log(verbose=False)
    return _guarded(lambda: run_until_signal(serve.serve_refusal, error, client_options_of(parse(["mcp", *arguments]))))


def _ci(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.ci import run_ci

    return run_ci(options, config_of(options))


def _merge(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.merging import run_merge

    return run_merge(options.directories, options.output)


def _watch(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.watch import run_watch

    return run_watch(errors=options.errors, only=options.only, url=options.url, as_json=options.json)


def _status(options: argparse.Namespace) -> int:
    import json

    from gasoline_cdp.answers.lines import Line
    from gasoline_cdp.frontends.cli.answers import show_answer
    from gasoline_cdp.frontends.http.access import whereabouts
    from gasoline_cdp.frontends.local import bridge

    answer = bridge.ask_tool("observe", {"what": "status"}, lines=not options.json)
    if options.json:
        print(json.dumps(answer["data"]))
        return 1 if answer["is_error"] else 0
    show_answer(answer, [Line(http, tag="http")] if (http := whereabouts()) else [])
    return 0


def _stop(_options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.local import bridge

    try:
        ended = bridge.stop()
    except GasolineError as error:
        if error.code is not Code.NO_DAEMON:
            raise
        # The usual message says how to start one. That is of no use to someone who wants to stop it.
        raise GasolineError(Code.NO_DAEMON, "No gasoline-cdp is running, so there is nothing to end.") from error
    if ended is not None:
        browser = "its browser" if ended["browser"] == "launched" else "left the browser it was attached to running"
        others = _left_behind(ended["clients"])
        print(f"Ended gasoline-cdp {ended['version']} (process {ended['pid']}) and {browser}.{others}")
    return 0


def _left_behind(clients: int) -> str:
    if not clients:
        return ""
    who = "1 client was connected: its" if clients == 1 else f"{clients} clients were connected: their"
    return f" {who} next call starts a new one."


def _act(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.acting import parse_step, run_act

    match options.command:
        case "goto":
            steps = [{"do": "open", "value": options.address}]
        case "act":
            steps = [parse_step(step) for step in options.steps]
        case do:
            steps = [{"do": do, "target": options.target, "value": options.value}]
    return run_act(
        steps, tab_id=options.tab_id, wait_for=options.wait_for, as_json=options.json, as_lines=options.lines
    )


def _record(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.recording import run_record

    return run_record(options.file, tab_id=options.tab_id, seconds=options.seconds)


def _generate(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.comparing import run_generate

    return run_generate(
        options.output,
        kind=options.format,
        url_filter=options.url,
        test_id=options.test_id,
        language=options.language,
        error_message=options.error,
    )


def _snapshot(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.comparing import run_snapshot

    return run_snapshot(
        options.file, load=options.load, baseline=options.baseline, url=options.url, include=options.include
    )


def _diff(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.comparing import run_diff

    return run_diff(options.before, options.after, html=options.html, as_json=options.json, fail_on=options.fail_on)


def _heap(options: argparse.Namespace) -> int:
    # numpy would start a thread for each core, for linear algebra that nothing here uses.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    refuse_unused(options)
    if options.save or options.load is not None:
        from gasoline_cdp.frontends.cli.heap_files import run_load, run_save

        return run_save(options.file, options.of) if options.save else run_load(options.file, options.load)
    from gasoline_cdp.frontends.cli.heap import run_heap, with_enough_memory

    with with_enough_memory(options.file):
        if options.leaks:
            from gasoline_cdp.frontends.cli.heap_leaks import run_leaks

            return run_leaks(
                options.file, options.compare, options.between, rounds=options.rounds, as_json=options.json
            )
        return run_heap(
            options.file, compare_with=options.compare, why=options.why, html=options.html, as_json=options.json
        )


def _doctor(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.doctor import run_doctor

    return run_doctor(options.browser, no_sandbox=options.no_sandbox)


def _install(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.editors.install import run_install

    return run_install(options.editor, options.extra, project=options.project, dry_run=options.dry_run)


def _uninstall(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.editors.install import run_uninstall

    return run_uninstall(options.editor, project=options.project, dry_run=options.dry_run)


def _completions(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.completions import run_completions

    return run_completions(options.shell)


def _demo(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.cli.demo import run_demo
    from gasoline_cdp.frontends.cli.terminal import open_console
    from gasoline_cdp.frontends.signals import run_until_signal

    return run_until_signal(run_demo, config_of(options), open_console(), options.once)


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "launch": _launch,
    "attach": _attach,
    "mcp": _mcp,
    "ci": _ci,
    "watch": _watch,
    "status": _status,
    "stop": _stop,
    "act": _act,
    "goto": _act,
    "click": _act,
    "fill": _act,
    "record": _record,
    "generate": _generate,
    "snapshot": _snapshot,
    "diff": _diff,
    "merge": _merge,
    "heap": _heap,
    "doctor": _doctor,
    "install": _install,
    "uninstall": _uninstall,
    "completions": _completions,
    "demo": _demo,
}
