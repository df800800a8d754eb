import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { readRegularFile } from '../files/regular-file.ts';
import type { CommandHandler } from './command.ts';
import { CommandError, EXIT, usageError } from '../errors/command-error.ts';
import { requireConfirmation } from './confirm.ts';
import { serviceUrl } from './service-url.ts';
import { kindAt, writeWhole } from '../files/safe-files.ts';
import { standardInput } from './standard-input.ts';
import { table } from '../terminal/table.ts';

export interface Profile {
  readonly url: string;
  readonly key: string;
}

interface Profiles {
  /** The name of the default profile; null if there is none. */
  readonly default: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const schema: z.ZodType<Profiles> = z.object({
  default: z.string().nullable(),
  profiles: z.record(z.string(), z.object({ url: z.string(), key: z.string() })),
});
/** Excludes `__proto__`, which an object cannot store as a key, and a leading dash, which would look like an option. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const OTHERS = 0o077;
const MAX_BYTES = 1_048_576;

export const listProfiles: CommandHandler = async ({ environment, output }) => {
  const { default: chosen, profiles } = await readProfiles(environment);
  const rows = Object.entries(profiles).map(([name, { url }]) => ({
    name,
    url,
    is_default: name === chosen,
  }));
  output.result(
    { data: rows },
    table(
      output,
      {
        name: (one) => one.name,
        url: { freeText: (one) => one.url },
        default: (one) => (one.is_default ? 'yes' : ''),
      },
      rows,
    ),
  );
};

export const addProfile: CommandHandler = async ({ signal, argument, environment, options, output }) => {
  const name = argument('name');
  if (!NAME.test(name))
    throw usageError(
      'The name of a profile has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or a digit.',
    );
  const url = serviceUrl(options.text('url') ?? 'http://127.0.0.1:8080');
  const key = (output.isInteractive ? await askForKey() : await standardInput(signal)).trim();
  if (!/^[\x21-\x7e]{16,128}$/.test(key))
    throw usageError(
      'An API key has 16 to 128 printable characters: give it on standard input, as in: trunkline profiles add <name> < key-file',
    );
  const known = await readProfiles(environment);
  await writeProfiles(environment, {
    default: known.default ?? name,
    profiles: { ...known.profiles, [name]: { url, key } },
  });
  output.result(
    { data: { name, url, is_default: (known.default ?? name) === name } },
    `The profile ${name} is kept in ${pathIn(environment)}.`,
  );
};

export const useProfile: CommandHandler = async ({ argument, environment, output }) => {
  const name = argument('name');
  const known = await readProfiles(environment);
  find(known, name);
  await writeProfiles(environment, { ...known, default: name });
  output.result({ data: { name, is_default: true } }, `The profile ${name} is the default one.`);
};

export const removeProfile: CommandHandler = async (call) => {
  const name = call.argument('name');
  const known = await readProfiles(call.environment);
  find(known, name);
  await requireConfirmation(call, `The profile ${name} and its API key will be deleted from this machine.`);
  const { [name]: _, ...rest } = known.profiles;
  await writeProfiles(call.environment, {
    default: known.default === name ? null : known.default,
    profiles: rest,
  });
  call.output.result({ data: { name, deleted: true } }, `The profile ${name} is deleted.`);
};

/** The named profile, or the default one; null if neither a name nor a default is set. */
export async function readProfile(
  environment: Environment,
  name: string | undefined,
): Promise<Profile | null> {
  const known = await readProfiles(environment);
  const chosen = name ?? known.default;
  return chosen === null ? null : find(known, chosen);
}

function find({ profiles }: Profiles, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  throw new CommandError(
    `There is no profile ${JSON.stringify(name.slice(0, 64))}: "trunkline profiles list" lists them.`,
    {
      exitCode: EXIT.usage,
      code: 'USAGE',
    },
  );
}

async function askForKey(): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const key = await password({ message: 'The API key' });
  if (isCancel(key)) throw new CommandError('Nothing was kept.', { code: 'NOT_CONFIRMED' });
  return key;
}

async function readProfiles(environment: Environment): Promise<Profiles> {
  const path = pathIn(environment);
  const text = await readOwn(path);
  if (text === null) return { default: null, profiles: {} };
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new CommandError(`The profiles cannot be read: ${path} is damaged. Delete it, and add them again.`);
  }
}

/** Null if the file does not exist. Refuses a file that other users can access, as ssh refuses such a private key. */
async function readOwn(path: string): Promise<string | null> {
  if ((await kindAt(path)) !== 'file') return null;
  const { content, mode } = await readRegularFile(path, MAX_BYTES);
  // Windows has no such permission bits.
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    throw new CommandError(
      `Other users of this machine have access to ${path}, which has API keys in it: run "chmod 600 ${path}", and replace the keys if somebody may have read them.`,
    );
  return content.toString('utf8');
}

async function writeProfiles(environment: Environment, profiles: Profiles): Promise<void> {
  const path = pathIn(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeWhole(path, `${JSON.stringify(profiles, undefined, 2)}\n`);
}

function pathIn(environment: Environment): string {
  const base = environment['XDG_CONFIG_HOME'];
  return join(
    base === undefined || base === '' ? join(environment['HOME'] ?? homedir(), '.config') : base,
    'trunkline',
    'profiles.json',
  );
}
