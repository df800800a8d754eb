import { DEFAULT_CONFIG_FILE } from '../settings/config-file.ts';
import { createWhole } from '../files/create-whole.ts';
import { checkDataFiles, createDirectory } from '../files/data-files.ts';
import { createSecretKey, readSecretKey, secretKeyMissing } from '../start/secret-key.ts';
import { OFFERED_NETWORKS } from '../settings/network-list.ts';
import { flagOf, keyOf } from '../settings/setting-names.ts';
import { allSettings, readSettings } from '../settings/settings.ts';
import type { GivenSetting } from '../settings/settings.ts';
import { errorCode } from '../errors/start-error.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError } from '../errors/command-error.ts';
import { refusePassword } from './local-service.ts';
import { stripMarkdown } from '../terminal/strip-markdown.ts';
import { facts } from '../terminal/table.ts';

/** The settings that `init` takes from flags or asks for. */
const ASKED = ['GATEWAYS', 'PORT', 'DATA_DIR', 'DATABASE_URL'] as const;
type Asked = Partial<Record<(typeof ASKED)[number], string>>;

/**
 * Writes a configuration file with every setting in it, and creates the data directory and the secret key. Overwrites
 * nothing.
 */
export const initCommand: CommandHandler = async (call) => {
  const path = call.options.text('config') ?? DEFAULT_CONFIG_FILE;
  const asked = { ...given(call), ...(await answers(call)) };
  const settings = readSettings(
    Object.entries(asked).map(([variable, text]): GivenSetting => ({
      variable,
      name: flagOf(variable),
      text,
    })),
  );
  const { dataDirectory, database } = settings;
  const files = await checkDataFiles({
    directory: dataDirectory,
    database: database.kind === 'sqlite' ? database.path : null,
  });
  if (files.hasDatabase && (await readSecretKey(files.secretKey)) === undefined)
    throw secretKeyMissing(files.secretKey);
  await writeNew(path, configuration(asked));
  await createDirectory(dataDirectory);
  if ((await readSecretKey(files.secretKey)) === undefined) await createSecretKey(files.secretKey);
  call.output.result(
    { data: { config: path, data_dir: dataDirectory, secret_key: files.secretKey } },
    facts({ settings: path, 'secret key': files.secretKey }),
  );
  call.output.note('Keep a copy of the secret key elsewhere: without it, the database is useless.');
  call.output.say('\nNext: trunkline serve');
};

function given({ options }: Call): Asked {
  return Object.fromEntries(
    ASKED.flatMap((variable) => {
      const text = options.text(flagOf(variable).slice(2));
      if (text === undefined) return [];
      refusePassword(flagOf(variable), variable, text);
      return [[variable, text]];
    }),
  );
}

/** At a terminal, asks for the network, the port and the database if the flags omit them. */
async function answers(call: Call): Promise<Asked> {
  if (!call.output.isInteractive || call.options.flag('yes')) return {};
  const { select, text } = await import('@clack/prompts');
  const flags = given(call);
  const answered = (value: string | symbol): string => {
    if (typeof value === 'symbol') throw new CommandError('Nothing was written.', { code: 'NOT_CONFIRMED' });
    return value;
  };
  const asked: Asked = {};
  if (flags.GATEWAYS === undefined)
    asked.GATEWAYS = answered(
      await select({
        message: 'Which network?',
        options: Object.entries(OFFERED_NETWORKS).map(([value, { title, hint }]) => ({
          value,
          label: title,
          hint,
        })),
      }),
    );
  if (flags.PORT === undefined)
    asked.PORT = answered(
      await text({
        message: 'Which port?',
        initialValue: '8080',
        validate: (value = '') => (/^\d{1,5}$/.test(value) ? undefined : 'A number from 0 to 65535.'),
      }),
    );
  if (flags.DATABASE_URL === undefined) {
    const url = answered(
      await text({
        message: 'Which database?',
        placeholder: 'postgres://user:password@host/database; nothing for SQLite in the data directory',
      }),
    );
    if (url) asked.DATABASE_URL = url;
  }
  return asked;
}

async function writeNew(path: string, content: string): Promise<void> {
  try {
    await createWhole(path, content);
  } catch (error) {
    if (errorCode(error) === 'EEXIST')
      throw new CommandError(
        `${path} already exists, and was not changed: edit it, or name another file with --config.`,
      );
    if (error instanceof Error) Object.assign(error, { path }); // not the draft's path
    throw error;
  }
}

/** Every setting with its meaning, commented out unless it was given. */
function configuration(asked: Asked): string {
  const chosen = new Map<string, string>(Object.entries(asked));
  const settings = allSettings().map(({ variable, meaning, byDefault }) => {
    const text = chosen.get(variable);
    const value = text ?? /^`([^<`]*)`$/.exec(byDefault)?.[1] ?? '';
    const line = `${keyOf(variable)} = ${/^\d+$/.test(value) ? value : JSON.stringify(value)}`;
    return `${commented(stripMarkdown(meaning))}\n${text === undefined ? '# ' : ''}${line}\n`;
  });
  return `${commented(HEADER)}\n\n${settings.join('\n')}`;
}

const HEADER =
  'Settings of Trunkline. A line that begins with # and has a = shows a default or leaves it out. The environment is stronger than this file, and a flag is stronger than both: PORT=80, --port 80. Paths count from the folder of this file.';
const WIDTH = 100;

function commented(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length < WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`).join('\n');
}
