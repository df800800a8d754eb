import type { CommandHandler, CommandSpec } from './command.ts';
import { usageError } from '../errors/command-error.ts';
import { flagsOf, valueInfo } from './command-flags.ts';
import type { FlagInfo } from './command-flags.ts';
import { SHELLS } from './option-values.ts';

/** Prints a script for a shell to source, which completes commands, options and their values. */
export const completionCommand =
  (commands: readonly CommandSpec[]): CommandHandler =>
  async ({ argument, output }) => {
    const shell = SHELLS.find((one) => one === argument('shell'));
    if (shell === undefined) throw usageError(`The shell must be one of ${SHELLS.join(', ')}.`);
    const script = shell === 'fish' ? fish(commands) : bash(commands, shell);
    output.result({ data: { shell, script } }, script);
  };

/** Starts zsh's completion, unless the user's own configuration has, and its support for completions of bash. */
const ZSH_COMPLETION = `(( $+functions[compdef] )) || { autoload -U compinit && compinit -i }
autoload -U +X bashcompinit && bashcompinit
`;

/**
 * zsh can use bash's completions. bash treats the text after the last `:` or `=` of a value as a separate word, and
 * replaces only that word.
 */
function bash(commands: readonly CommandSpec[], shell: 'bash' | 'zsh'): string {
  const cases = commands.map((spec) => `    '${spec.name}') words='${wordsOf(spec).join(' ')}' ;;`);
  const groups = groupsOf(commands).map(([group, names]) => `    '${group}') words='${names.join(' ')}' ;;`);
  const flags = commands.flatMap((spec) => flagsOf(spec).map((info) => ({ command: spec.name, ...info })));
  const withValue = new Set(flags.flatMap(({ flag, valueName }) => (valueName === null ? [] : [flag])));
  const values = flags
    .filter((info) => info.values.length > 0)
    .map(
      ({ command, flag, values: names, isList = false }) =>
        `    '${command} ${flag}') words='${names.join(' ')}'${isList ? ' list=1' : ''} ;;`,
    );
  return `${shell === 'zsh' ? ZSH_COMPLETION : ''}_trunkline() {
  local words command="\${COMP_WORDS[1]}" list='' prefix=''
  local line="\${COMP_LINE:0:$COMP_POINT}"
  local token="\${line##* }"
  local before="\${line%"$token"}"
  before="\${before%"\${before##*[! ]}"}"
  local option="\${before##* }" current="$token"
  if [[ "$token" == --*=* ]]; then
    option="\${token%%=*}" current="\${token#*=}" prefix="\${token%%=*}="
  fi
  if ((COMP_CWORD == 1)); then words='${firstWords(commands).join(' ')}'
  else
    case "$command" in
${groups.join('\n')}
    esac
    if [[ -z "$words" || $COMP_CWORD -gt 2 ]]; then
    [[ -n "$words" ]] && command="$command \${COMP_WORDS[2]}"
    words=''
    case "$command" in
${cases.join('\n')}
    esac
    case "$option" in
    ${[...withValue].join('|')}) words='' ;;
    esac
    case "$command $option" in
${values.join('\n')}
    esac
    fi
  fi
  if [[ -n "$list" && "$current" == *,* ]]; then
    prefix="$prefix\${current%,*}," current="\${current##*,}"
  fi
  if [[ -n "$list" ]]; then compopt -o nospace 2> /dev/null; fi
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
  if [[ "$COMP_WORDBREAKS" == *:* && "$token" == *[:=]* ]]; then
    local kept="\${token%"\${token##*[:=]}"}"
    COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
  fi
}
complete -o default -F _trunkline trunkline`;
}

/** The function of fish's script that says whether the words before the cursor begin with a command. */
const BEGINS = `function __trunkline_begins
  set -l words (commandline -opc)
  test "$words[2..$(math 1 + (count $argv))]" = "$argv"
end`;

/** The function of fish's script that says whether the words before the cursor are exactly a group. */
const IS_GROUP = `function __trunkline_is_group
  set -l words (commandline -opc)
  test "$words[2..]" = "$argv"
end`;

function fish(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((spec) => {
    const [group = '', name] = spec.name.split(' ');
    const condition = `__trunkline_begins ${spec.name}`;
    const values = valuesOfArguments(spec);
    return [
      name === undefined
        ? `complete -c trunkline -n __fish_use_subcommand -a ${group} -d '${quoted(spec.summary)}'`
        : `complete -c trunkline -n '__trunkline_is_group ${group}' -a ${name} -d '${quoted(spec.summary)}'`,
      ...(takesPath(spec) ? [`complete -c trunkline -n '${condition}' -F`] : []),
      ...(values.length > 0 ? [`complete -c trunkline -n '${condition}' -a '${values.join(' ')}'`] : []),
      ...flagsOf(spec).map(
        (info) => `complete -c trunkline -n '${condition}' -l ${info.flag.slice(2)}${fishValue(info)}`,
      ),
    ];
  });
  const groups = groupsOf(commands).map(
    ([group]) => `complete -c trunkline -n __fish_use_subcommand -a ${group}`,
  );
  return [BEGINS, IS_GROUP, 'complete -c trunkline -f', ...groups, ...lines].join('\n');
}

/**
 * The flags by which fish completes an option's value. `__fish_append` is fish's function for comma-separated lists.
 */
function fishValue({ valueName, values, isList = false }: FlagInfo): string {
  if (valueName === null) return '';
  if (values.length > 0)
    return ` -x -a '${isList ? `(__fish_append , ${values.join(' ')})` : values.join(' ')}'`;
  return PATHS.includes(valueName) ? ' -r -F' : ' -x';
}

/** The names of values and arguments that are paths. */
const PATHS = ['path', 'file', 'directory'];

function takesPath(spec: CommandSpec): boolean {
  return Object.keys(spec.arguments ?? {}).some((name) => PATHS.includes(name.slice(1, -1)));
}

/** The words that complete a command: its options, and the values of arguments with a closed list. */
function wordsOf(spec: CommandSpec): readonly string[] {
  return [...valuesOfArguments(spec), ...flagsOf(spec).map(({ flag }) => flag)];
}

function valuesOfArguments(spec: CommandSpec): readonly string[] {
  return Object.values(spec.arguments ?? {}).flatMap((meaning) => valueInfo(meaning).values);
}

function quoted(text: string): string {
  return text.replaceAll(/['\\]/g, '\\$&');
}

function firstWords(commands: readonly CommandSpec[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
}

function groupsOf(commands: readonly CommandSpec[]): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [group = '', command] = name.split(' ');
    if (command !== undefined) groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  return [...groups];
}
