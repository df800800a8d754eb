import { dirname, isAbsolute, join } from 'node:path';
import { didYouMean } from '@trunkline/option-names';
import { parse, TomlError } from 'smol-toml';
import { NotAFileError, readRegularFile } from '../files/regular-file.ts';
import type { RegularFile } from '../files/regular-file.ts';
import { keyOf, variablesBy } from './setting-names.ts';
import { textOf } from './setting-sources.ts';
import { allSettings } from './settings.ts';
import type { GivenSetting } from './settings.ts';
import { errorCode, StartError } from '../errors/start-error.ts';
import { hasPassword } from './url-password.ts';

/** The configuration file that is read from the working directory if no file is named. */
export const DEFAULT_CONFIG_FILE = 'trunkline.toml';

const MAX_BYTES = 65_536;
const SHOWN_CHARACTERS = 40;
const OTHERS = 0o077;
const READ_BY_OTHERS = 0o044;
const WRITE_BY_ALL = 0o002;

/**
 * Reads a configuration file: TOML without tables, whose keys are the variables' names in lower case. Relative paths
 * are resolved against the file's directory. Throws a StartError with a line for each fault.
 */
export async function fromConfigFile(path: string): Promise<readonly GivenSetting[]> {
  try {
    return settingsIn(path, await openConfig(path));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new StartError(
      `There is no configuration file ${path}: make one with "trunkline init", or name another one with --config.`,
    );
  }
}

/** Reads the default file; returns [] if it is missing. Refuses a file that belongs to another user, except root. */
export async function fromDefaultConfigFile(): Promise<readonly GivenSetting[]> {
  let file: RegularFile;
  try {
    file = await openConfig(DEFAULT_CONFIG_FILE);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  const own = process.getuid?.();
  if (own !== undefined && file.uid !== own && file.uid !== 0)
    throw new StartError(
      `${DEFAULT_CONFIG_FILE} belongs to another user of this machine, so it is not read: name it with --config if you trust it.`,
    );
  return settingsIn(DEFAULT_CONFIG_FILE, file);
}

/** Opens the file once, so that owner, mode and content belong to the same file. */
async function openConfig(path: string): Promise<RegularFile> {
  try {
    return await readRegularFile(path, MAX_BYTES + 1);
  } catch (error) {
    if (error instanceof NotAFileError)
      throw new StartError(`The configuration file is not a file: ${path}. Name another one with --config.`);
    const code = errorCode(error);
    if (code === 'ENOENT' || code === undefined) throw error;
    throw new StartError(
      `The configuration file cannot be read: ${path} (${code}). Give the user of the server access.`,
    );
  }
}

function settingsIn(path: string, file: RegularFile): readonly GivenSetting[] {
  const { text: content, isReadByOthers } = readText(path, file);
  const values = parsed(path, content);
  const known = variablesBy(keyOf);
  const complaints: string[] = [];
  const given: GivenSetting[] = [];
  for (const [key, value] of Object.entries(values)) {
    const variable = known.get(key);
    const text = textOf(value);
    if (variable === undefined) complaints.push(`${path}: ${noSuchSetting(key, [...known.keys()])}`);
    else if (text === undefined)
      complaints.push(
        `${key} in ${path} must be a text, a number, true, false or a list of texts without commas.`,
      );
    else
      given.push({ variable, name: `${key} in ${path}`, text: fromDirectory(variable, text, dirname(path)) });
  }
  if (isReadByOthers && given.some(isSecret))
    complaints.push(
      `Other users of this machine can read ${path}, which has secrets in it: run "chmod 600 ${path}".`,
    );
  if (complaints.length > 0) throw new StartError(...complaints);
  return given;
}

function readText(
  path: string,
  { content, size, mode }: RegularFile,
): { readonly text: string; readonly isReadByOthers: boolean } {
  // Windows has no such permission bits.
  const ofOthers = process.platform === 'win32' ? 0 : mode & OTHERS;
  if ((ofOthers & WRITE_BY_ALL) !== 0)
    throw new StartError(
      `Every user of this machine can change ${path}, so it is not read: run "chmod o-w ${path}".`,
    );
  if (size > MAX_BYTES)
    throw new StartError(
      `The configuration file is larger than ${MAX_BYTES} bytes: ${path}. Name another one with --config.`,
    );
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return { text, isReadByOthers: (ofOthers & READ_BY_OTHERS) !== 0 };
  } catch {
    throw new StartError(`The configuration file is not text in UTF-8: ${path}. Save it as that.`);
  }
}

function parsed(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text, { maxDepth: 8 });
  } catch (error) {
    // The parser's message shows the line, which may contain a secret.
    if (error instanceof TomlError)
      throw new StartError(
        `${path} is not valid TOML: line ${error.line}, column ${error.column}. Texts need quotes, as in host = "127.0.0.1".`,
      );
    throw error;
  }
}

function isSecret({ variable, text }: GivenSetting): boolean {
  if (text === '') return false;
  if (allSettings().some((one) => one.variable === variable && one.isSecret)) return true;
  return hasPassword(text);
}

function noSuchSetting(key: string, known: readonly string[]): string {
  const shown = key.length > SHOWN_CHARACTERS ? `${key.slice(0, SHOWN_CHARACTERS)}…` : key;
  return `there is no setting ${JSON.stringify(shown)}. ${didYouMean(shown, known)}`;
}

/** Resolves the path in a setting against the file's directory. */
function fromDirectory(variable: string, text: string, directory: string): string {
  if (variable === 'DATA_DIR') return isAbsolute(text) || text === '' ? text : join(directory, text);
  const path = variable === 'DATABASE_URL' ? /^sqlite:(?!:memory:$)(.+)$/s.exec(text)?.[1] : undefined;
  return path === undefined || isAbsolute(path) ? text : `sqlite:${join(directory, path)}`;
}
