import type { CommandHandler, CommandSpec } from './command.ts';
import { usageError } from './command-error.ts';
import { flagsOf } from './command-flags.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A script that completes commands and options: to be sourced by the shell. */
export const completionCommand =
  (commands: readonly CommandSpec[]): CommandHandler =>
  async ({ argument, output }) => {
    const shell = SHELLS.find((one) => one === argument('shell'));
    if (shell === undefined) throw usageError(`The shell must be one of ${SHELLS.join(', ')}.`);
    const script = shell === 'fish' ? fish(commands) : bash(commands, shell);
    output.result({ data: { shell, script } }, script);
  };

/** zsh reads the completions of bash. */
function bash(commands: readonly CommandSpec[], shell: 'bash' | 'zsh'): string {
  const cases = commands.map((spec) => `    '${spec.name}') words='${flagsOf(spec).join(' ')}' ;;`);
  const groups = groupsOf(commands).map(([group, names]) => `    '${group}') words='${names.join(' ')}' ;;`);
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_trunkline() {
  local words command="\${COMP_WORDS[1]}" current="\${COMP_WORDS[COMP_CWORD]}"
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
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _trunkline trunkline`;
}

function fish(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((spec) => {
    const [group = '', name] = spec.name.split(' ');
    const condition =
      name === undefined
        ? `__fish_seen_subcommand_from ${group}`
        : `__fish_seen_subcommand_from ${group}; and __fish_seen_subcommand_from ${name}`;
    return [
      name === undefined
        ? `complete -c trunkline -n __fish_use_subcommand -a ${group} -d '${quoted(spec.summary)}'`
        : `complete -c trunkline -n '__fish_seen_subcommand_from ${group}' -a ${name} -d '${quoted(spec.summary)}'`,
      ...flagsOf(spec).map((flag) => `complete -c trunkline -n '${condition}' -l ${flag.slice(2)}`),
    ];
  });
  const groups = groupsOf(commands).map(
    ([group]) => `complete -c trunkline -n __fish_use_subcommand -a ${group}`,
  );
  return ['complete -c trunkline -f', ...groups, ...lines].join('\n');
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
