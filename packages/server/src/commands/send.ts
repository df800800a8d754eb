import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { MEDIA_TYPES } from '@trunkline/core/spi/http';
import type { MessageResource } from '@trunkline/http/client';
import { errorCode } from '../errors/start-error.ts';
import { printable } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError, EXIT, usageError } from '../errors/command-error.ts';
import { withDeadline } from './deadline.ts';
import { messageFacts } from './messages.ts';
import { FINER_KINDS, GOALS } from './option-values.ts';
import { pause } from './pause.ts';
import { accepted, remoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import { statusText } from '../terminal/status-text.ts';
import { standardInput } from './standard-input.ts';
import {
  instance as instanceShape,
  list,
  message as messageShape,
  one as reply,
  theOne,
} from './service-shapes.ts';

const LOOK_EVERY_MS = 300;

/** Sends a message, and follows it until it reaches the requested status or fails. */
export const sendCommand: CommandHandler = async (call) => {
  const { options, output } = call;
  const goal = GOALS.find((one) => one === (options.text('until') ?? 'read'));
  if (goal === undefined) throw usageError(`--until must be one of ${GOALS.join(', ')}.`);
  const sendAt = options.text('at');
  const seconds = options.whole('timeout', { min: 1, max: 86_400 }) ?? 60;
  const service = await remoteService(call);
  const content = {
    ...(await contentOf(call, await textOf(call), await instanceMeant(call, service))),
    ...(sendAt !== undefined && { send_at: sendAt }),
  };
  const idempotencyKey = options.text('idempotency-key');
  const { signal } = call;
  const sent = await accepted(
    service,
    service.client.messages.send(content, { idempotencyKey, signal }),
    reply(messageShape),
  );
  let message = sent.data;
  let shown = '';
  const show = (): void => {
    if (message.status === shown) return;
    shown = message.status;
    output.say([`${message.id} `, statusText(message.status, printable(message.status))]);
    if (output.isJson && shown !== 'failed') output.result({ data: message }, '');
  };
  show();
  if (message.send_at !== undefined && Date.parse(message.send_at) > Date.now()) {
    output.say(
      `The message will be sent at ${printable(message.send_at)}: "trunkline messages cancel ${message.id}" cancels it until then.`,
    );
    return;
  }
  const late = (): CommandError =>
    new CommandError(
      `${message.id} is ${message.status}, and not ${goal} after ${seconds} s: "trunkline messages show ${message.id}" shows it later.`,
      { exitCode: EXIT.failed, code: 'TIMEOUT' },
    );
  await withDeadline({ seconds, signal, late }, async (limited) => {
    while (!isReached(message, goal)) {
      await pause(LOOK_EVERY_MS, limited);
      const { id } = message;
      const looked = service.client.messages.get(id, { signal: limited });
      message = (await accepted(service, looked, theOne(messageShape, id))).data;
      show();
    }
  });
  if (message.status === 'failed') {
    output.say(messageFacts(message));
    throw new CommandError(
      `${message.id} failed: ${message.error?.message ?? 'for an unknown reason'} (${message.error?.code ?? 'unknown'})`,
      {
        exitCode: EXIT.failed,
        code: 'MESSAGE_FAILED',
      },
    );
  }
};

/** `failed` ends the wait for any status. */
function isReached({ status }: MessageResource, goal: (typeof GOALS)[number]): boolean {
  const order: readonly string[] = GOALS;
  return status === 'failed' || order.indexOf(status) >= order.indexOf(goal);
}

/** Returns the named instance, or the only connected one. */
async function instanceMeant(call: Call, service: RemoteService): Promise<string> {
  const named = call.options.text('instance');
  if (named !== undefined) return named;
  const { data } = await accepted(service, service.client.instances.list(call), list(instanceShape));
  const [only, ...others] = data.filter(({ status }) => status === 'connected');
  if (only && others.length === 0) return only.id;
  throw usageError(
    only
      ? 'Several instances are connected: name one with --instance. "trunkline instances list" lists them.'
      : 'No instance is connected: connect one with "trunkline connect", or name one with --instance.',
  );
}

/** `-` is standard input, whose final line break belongs to the shell and not to the text. */
async function textOf({ argument, signal }: Call): Promise<string> {
  const text = argument('text');
  return text === '-' ? (await standardInput(signal)).replace(/\r?\n$/, '') : text;
}

type Content = Parameters<RemoteService['client']['messages']['send']>[0];

async function contentOf({ argument, options }: Call, text: string, instance: string): Promise<Content> {
  const [path, kind] = [options.text('file'), options.text('kind')];
  const address = { instance, to: argument('to') };
  if (kind !== undefined) return ofKind({ kind, text, path, payload: options.text('payload') }, address);
  if (options.text('payload') !== undefined) throw usageError('--payload needs a --kind.');
  const people = options.text('mentions');
  const mentioning = people === undefined ? {} : { mentions: people.split(',') };
  if (path === undefined) {
    if (text === '') throw usageError('There is nothing to send: give a text, or a file with --file.');
    return { ...address, type: 'text', text, ...mentioning };
  }
  const type = MEDIA_TYPES.find((one) => one === (options.text('type') ?? 'document'));
  if (type === undefined) throw usageError(`--type must be one of ${MEDIA_TYPES.join(', ')}.`);
  const file = await fileAt(path);
  const caption = text === '' ? {} : { caption: text };
  const filename = options.text('filename') ?? basename(path);
  return { ...address, type, file, filename, ...caption, ...mentioning };
}

interface OfKind {
  readonly kind: string;
  readonly text: string;
  readonly path: string | undefined;
  readonly payload: string | undefined;
}

/** The service checks the payload. */
async function ofKind(
  { kind: named, text, path, payload }: OfKind,
  address: Pick<Content, 'instance' | 'to'>,
): Promise<Content> {
  const kind = FINER_KINDS.find((one) => one === named);
  if (kind === undefined) throw usageError(`--kind must be one of ${FINER_KINDS.join(', ')}.`);
  if (text !== '') throw usageError(`A ${kind} is sent without a text.`);
  if (kind === 'sticker') {
    if (path === undefined) throw usageError('A sticker needs its picture: give it with --file.');
    return { ...address, kind, file: await fileAt(path), filename: basename(path) };
  }
  if (path !== undefined) throw usageError(`A ${kind} has no file: give its fields with --payload.`);
  return { ...address, kind, payload: fieldsIn(payload ?? '') } as Content; // the service checks the fields
}

function fieldsIn(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    throw usageError('--payload must be JSON, such as {"latitude":40.4168,"longitude":-3.7038}.');
  }
}

async function fileAt(path: string): Promise<Blob> {
  await checkReadable(path);
  return openAsBlob(path);
}

/** Refuses pipes, because opening a pipe without a writer blocks the whole process, including its signal handlers. */
async function checkReadable(path: string): Promise<void> {
  if (path === '-')
    throw usageError(
      'A file is not read from standard input: give its path, such as ./- for one of that name.',
    );
  const found = await stat(path).catch((error: unknown) => unreadable(path, error));
  if (!found.isFile())
    throw new CommandError(`${path} is not a regular file: give one with --file, such as a copy of it.`);
  await access(path, constants.R_OK).catch((error: unknown) => unreadable(path, error));
}

function unreadable(path: string, error: unknown): never {
  throw new CommandError(`The file cannot be read: ${path} (${errorCode(error) ?? 'unknown error'}).`);
}
