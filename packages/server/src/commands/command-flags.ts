import { flagOf } from '../settings/setting-names.ts';
import { allSettings } from '../settings/settings.ts';
import type { CommandSpec, Meaning, ValueInfo } from './command.ts';
import { stripMarkdown } from '../terminal/strip-markdown.ts';

/** The options of a command as its help lists them, including those shared by all commands of its kind. */
export function optionsOf(spec: CommandSpec): Readonly<Record<string, Meaning>> {
  return {
    ...spec.options,
    ...(spec.on === 'database'
      ? spec.takesSettings === true
        ? { ...CONFIG, ...settingOptions() }
        : { ...CONFIG, ...DATABASE }
      : {}),
    ...(spec.on === 'service' ? REMOTE_OPTIONS : {}),
    ...(spec.asks === true ? { '--yes': 'does it without asking' } : {}),
    '--json': 'prints results as a line of JSON each',
  };
}

/** An option, for completion scripts. */
export interface FlagInfo extends ValueInfo {
  /** The flag with its dashes: `--data-dir`. */
  readonly flag: string;
  /** The name of the value in the help, such as `path`; null if the option takes no value. */
  readonly valueName: string | null;
}

export function flagsOf(spec: CommandSpec): readonly FlagInfo[] {
  return Object.entries(optionsOf(spec)).map(([flags, meaning]) => {
    const [flag = '', valueName] = flags.split(' ');
    return { ...valueInfo(meaning), flag, valueName: valueName?.slice(1, -1) ?? null };
  });
}

export function valueInfo(meaning: Meaning): ValueInfo {
  return typeof meaning === 'string' ? { meaning, values: [] } : meaning;
}

const CONFIG = {
  '--config <path>': 'the configuration file; trunkline.toml of this folder by default, if there is one',
};

const DATABASE = {
  '--data-dir <path>': "the directory of the server's files",
  '--database-url <url>': 'the database, if it is not in there',
};

const REMOTE_OPTIONS = {
  '--url <url>': 'where the service is; TRUNKLINE_URL, or http://127.0.0.1:8080 by default',
  '--profile <name>': 'a service and key of "trunkline profiles"; TRUNKLINE_PROFILE, or the default one',
};

function settingOptions(): Readonly<Record<string, Meaning>> {
  return Object.fromEntries(
    allSettings()
      .filter(({ isSecret }) => !isSecret)
      .map(({ variable, meaning, values, isList }) => [
        `${flagOf(variable)} <${variable.endsWith('_DIR') ? 'path' : 'value'}>`,
        { meaning: firstPart(stripMarkdown(meaning)), values, isList },
      ]),
  );
}

/** Returns the text before the first `. ` or `: see `. */
function firstPart(meaning: string): string {
  return meaning.replace(/(?:\. |: see ).*$/s, '');
}
