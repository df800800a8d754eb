import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { ExportedItem } from '@trunkline/core';
import { syncDirectory } from '../files/create-whole.ts';
import { errorCode } from '../errors/start-error.ts';
import { CommandError, usageError } from '../errors/command-error.ts';
import type { CommandHandler } from './command.ts';
import { withLocalMedia } from './local-service.ts';
import { personMeant, showProgress } from './person.ts';
import { refusable } from './refusals.ts';
import { naming } from '../errors/system-error.ts';
import { facts } from '../terminal/table.ts';

/**
 * Writes a person's data into a folder that only its owner can read. The folder gets its name when it is complete; a
 * killed process leaves it with the suffix `.part`.
 */
export const exportCommand: CommandHandler = (call) =>
  withLocalMedia(call, async ({ admin }) => {
    const { options, output, signal } = call;
    const to = options.text('to');
    if (to === undefined || to === '') throw usageError('--to is missing: the folder to write into.');
    const directory = resolve(to);
    const person = await personMeant(admin, call);
    await refuseExisting(directory);
    const items = await refusable(admin.exportPerson(person, { signal, onProgress: showProgress(call) }));
    const draft = `${directory}.part`;
    await newDirectory(draft);
    const counts = await completed(draft, directory, () => writeAll(items, draft, signal));
    await syncDirectory(dirname(directory));
    output.result(
      { data: { directory, ...counts } },
      facts({
        export: directory,
        contacts: counts.contacts,
        messages: counts.messages,
        files: counts.files,
        events: counts.events,
      }),
    );
  });

/** Fills the draft and renames it to `directory`. A failure removes the draft, which holds personal data. */
async function completed<Value>(
  draft: string,
  directory: string,
  fill: () => Promise<Value>,
): Promise<Value> {
  try {
    const value = await naming(draft, fill);
    // Checked again, because a rename would replace an empty folder.
    await refuseExisting(directory);
    await rename(draft, directory);
    return value;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function refuseExisting(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found !== null) throw new CommandError(`${path} already exists: name a new folder.`);
}

/** Throws if the path exists, so that nothing is written into a link or another export. */
async function newDirectory(path: string): Promise<string> {
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (errorCode(error) === 'EEXIST')
      throw new CommandError(
        `${path} belongs to an export that was killed or is still running: remove it if none is running.`,
      );
    if (errorCode(error) === 'ENOENT')
      throw new CommandError(`The directory ${dirname(path)} does not exist: create it first.`);
    throw error;
  }
}

interface Counts {
  contacts: number;
  messages: number;
  files: number;
  events: number;
}

async function writeAll(
  items: AsyncIterable<ExportedItem>,
  directory: string,
  signal: AbortSignal,
): Promise<Readonly<Counts>> {
  const counts: Counts = { contacts: 0, messages: 0, files: 0, events: 0 };
  const media = await newDirectory(join(directory, 'media'));
  const [contacts, votes, messages, actions, events] = [
    await newFile(join(directory, 'contacts.jsonl')),
    await newFile(join(directory, 'votes.jsonl')),
    await newFile(join(directory, 'messages.jsonl')),
    await newFile(join(directory, 'actions.jsonl')),
    await newFile(join(directory, 'events.jsonl')),
  ] as const;
  const files = [contacts, votes, messages, actions, events];
  try {
    for await (const item of items) {
      signal.throwIfAborted();
      switch (item.kind) {
        case 'contact':
          await writeLine(contacts, item.contact);
          counts.contacts += 1;
          break;
        case 'vote':
          await writeLine(votes, item.vote);
          break;
        case 'message': {
          const file = await writeFile(media, item, signal);
          await writeLine(messages, { ...item.message, file: file && `media/${file}` });
          counts.messages += 1;
          if (file !== null) counts.files += 1;
          break;
        }
        case 'action':
          await writeLine(actions, item.action);
          break;
        case 'event':
          await writeLine(events, item.event);
          counts.events += 1;
      }
    }
    for (const file of files) await file.sync();
  } finally {
    for (const file of files) await file.close();
  }
  for (const one of [media, directory]) await syncDirectory(one);
  return counts;
}

/** Creates a file that only its owner can read; never follows a link. */
function newFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600);
}

async function writeLine(file: FileHandle, value: unknown): Promise<void> {
  await file.writeFile(`${JSON.stringify(value)}\n`);
}

/** Returns the file's name: the message's id and the extension of the sent file's name; null if no file is stored. */
async function writeFile(
  directory: string,
  { message, openFile }: Extract<ExportedItem, { kind: 'message' }>,
  signal: AbortSignal,
): Promise<string | null> {
  const content = (await openFile?.()) ?? null;
  if (content === null) return null;
  const extension = /\.[a-z0-9]{1,8}$/i.exec(message.media?.filename ?? '')?.[0] ?? '';
  const name = `${message.id}${extension}`;
  const target = await newFile(join(directory, name));
  // The cast is safe because Node's type of web streams differs in name only. The pipeline closes both ends, even if it
  // fails.
  const source = Readable.fromWeb(content as NodeStream<Uint8Array>);
  await pipeline(source, target.createWriteStream({ flush: true }), { signal });
  return name;
}
