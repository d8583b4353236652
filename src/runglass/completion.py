"""Scripts that complete commands and flags in a shell, made from the parsers of flags/."""

from __future__ import annotations

import argparse

from runglass import flags

# What the metavar of a flag's value says about it.
PATHS = ("PATH", "DIR", "LOGDIR")


def write_script(shell: str) -> str:
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _flags(parser: flags.Parser) -> list[tuple[str, argparse.Action]]:
    """Its flags that `--help` shows, with the long name of each."""
    return [
        (action.option_strings[-1 if action.option_strings[0] == "-h" else 0], action)
        for action in parser._actions
        if action.option_strings and action.help != argparse.SUPPRESS
    ]


def _first_words(parser: flags.Parser) -> list[str]:
    """What may follow the command where that is one of a few words: `runglass token create`."""
    first = next((action for action in parser._actions if not action.option_strings), None)
    return [str(each) for each in first.choices] if first is not None and first.choices else []


def _bash() -> str:
    lines = [
        "# Completion of runglass for bash. For this shell: source <(runglass --completion bash)",
        "_runglass() {",
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}" words choices=""',
        '    case "$command" in',
    ]
    choices = {}
    first_words = {}
    for command, parser in flags.list_parsers().items():
        named = _flags(parser)
        choices.update({flag: action.choices for flag, action in named if action.choices})
        if command:
            first_words[command] = _first_words(parser)
            lines.append(f'        {command}) words="{" ".join(flag for flag, _ in named)}" ;;')
        else:
            rest = f'        *) words="{" ".join(flag for flag, _ in named)}" ;;'
    lines += [rest, "    esac", '    case "$before" in']
    lines += [f'        {flag}) choices="{" ".join(map(str, of))}" ;;' for flag, of in choices.items() if of]
    lines += ["    esac", '    [[ $COMP_CWORD == 2 ]] && case "$command" in']
    lines += [f'        {command}) choices="{" ".join(of)}" ;;' for command, of in first_words.items() if of]
    lines += [
        "    esac",
        '    if [[ -n "$choices" && "$word" != -* ]]; then',
        '        COMPREPLY=($(compgen -W "$choices" -- "$word"))',
        '    elif [[ "$word" == -* ]]; then',
        '        COMPREPLY=($(compgen -W "$words" -- "$word"))',
        "    else",
        '        COMPREPLY=($(compgen -f -- "$word"))',
        f'        [[ $COMP_CWORD == 1 ]] && COMPREPLY+=($(compgen -W "{" ".join(flags.ALL_COMMANDS)}" -- "$word"))',
        "    fi",
        "}",
        "complete -o filenames -F _runglass runglass",
        "",
    ]
    return "\n".join(lines)


def _zsh() -> str:
    lines = [
        "#compdef runglass",
        "# Completion of runglass for zsh. For this shell: source <(runglass --completion zsh)",
        "_runglass() {",
        "    local -a commands",
        "    commands=(",
        *(f"        {_quote(f'{name}:{does}')}" for name, does in flags.ALL_COMMANDS.items()),
        "    )",
        "    if (( CURRENT == 2 )); then",
        "        _describe command commands",
        "    fi",
        "    case $words[2] in",
    ]
    for command, parser in flags.list_parsers().items():
        if command:
            lines += [f"        {command})", *_zsh_arguments(parser), "            ;;"]
    lines += ["        *)", *_zsh_arguments(flags.list_parsers()[""]), "            ;;", "    esac", "}"]
    lines += [
        'if [[ "$funcstack[1]" == _runglass ]]; then',
        '    _runglass "$@"',
        "else",
        "    compdef _runglass runglass",
        "fi",
        "",
    ]
    return "\n".join(lines)


def _zsh_arguments(parser: flags.Parser) -> list[str]:
    lines = ["            _arguments -s \\"]
    for flag, action in _flags(parser):
        what = f"{flag}[{(action.help or '').replace('[', '(').replace(']', ')').replace(':', ',')}]"
        if action.choices:
            what += f":value:({' '.join(map(str, action.choices))})"
        elif action.nargs != 0:
            what += ":path:_files" if action.metavar in PATHS else f":{action.metavar}: "
        lines.append(f"                {_quote(what)} \\")
    if words := _first_words(parser):
        # The command is the first.
        lines.append(f"                '2:word:({' '.join(words)})' \\")
    return [*lines, "                '*:path:_files'"]


def _fish() -> str:
    names = " ".join(flags.ALL_COMMANDS)
    lines = [
        "# Completion of runglass for fish. For this shell: runglass --completion fish | source",
        *(
            f"complete -c runglass -n __fish_use_subcommand -a {name} -d {_quote(does)}"
            for name, does in flags.ALL_COMMANDS.items()
        ),
    ]
    for command, parser in flags.list_parsers().items():
        when = (
            f"__fish_seen_subcommand_from {command}"
            if command
            else f"not __fish_seen_subcommand_from {names}"
        )
        for flag, action in _flags(parser):
            line = f"complete -c runglass -n {_quote(when)} -l {flag[2:]} -d {_quote(action.help or '')}"
            if action.choices:
                line += f" -x -a {_quote(' '.join(map(str, action.choices)))}"
            elif action.nargs != 0:
                line += " -r" if action.metavar in PATHS else " -x"
            lines.append(line)
        if words := " ".join(_first_words(parser)):
            is_first = f"{when}; and not __fish_seen_subcommand_from {words}"
            lines.append(f"complete -c runglass -n {_quote(is_first)} -f -a {_quote(words)}")
    return "\n".join([*lines, ""])


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
