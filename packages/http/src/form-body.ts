import { invalid, refuse } from '@trunkline/core/spi/http';
import type { Result } from '@trunkline/core/spi/http';
import { bodyReadBefore } from './body-read-before.ts';
import { checkContentEncoding } from './content-encoding.ts';
import { createFormParser } from './form-parser.ts';
import { dropRest } from './rest-of-body.ts';

/** The fields of a form, and the result of `takeFile` for its file; `file` is null if the form has none. */
export interface Form<Stored> {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: Stored | null;
}

interface FormReading<Stored> {
  /** In bytes. */
  readonly maxBytes: number;
  /** Takes the part named `file`, with the fields before it. Rejects in order to refuse the request. */
  readonly takeFile: (file: FormFile, fields: Readonly<Record<string, string>>) => Promise<Stored>;
  /** Discards the result of `takeFile` if the form turns out to be invalid or incomplete. */
  readonly dropFile: (stored: Stored) => Promise<void>;
}

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(request.headers.get('Content-Type') ?? '');
}

/**
 * Reads a form (RFC 7578) as it streams in. At most a chunk or two of its file is in memory, because the request is
 * read no faster than `takeFile` reads the file. Rejects with the error of `takeFile`.
 */
export async function readForm<Stored>(
  request: Request,
  { maxBytes, takeFile, dropFile }: FormReading<Stored>,
): Promise<Result<Form<Stored>>> {
  if (request.bodyUsed) throw bodyReadBefore();
  const encoding = checkContentEncoding(request);
  if (!encoding.ok) return encoding;
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) return tooLarge(maxBytes);
  const parts = collectParts(request.headers.get('Content-Type') ?? '', takeFile);
  let isComplete = false;
  try {
    const problem = (await pump(request.body, parts, maxBytes)) ?? parts.end();
    if (problem) return problem;
    const file = (await parts.file()?.stored) ?? null;
    isComplete = true;
    return { ok: true, value: { fields: parts.fields(), file } };
  } finally {
    const stored = isComplete ? null : await parts.file()?.giveUp();
    if (stored !== undefined && stored !== null) await dropFile(stored);
  }
}

type Problem = Result<never>;

/** Passes the body to the parser, no faster than the file is read. Returns the problem of the form, if any. */
async function pump(
  body: ReadableStream<Uint8Array> | null,
  parts: Parts<unknown>,
  maxBytes: number,
): Promise<Problem | null> {
  const reader = body?.getReader();
  let size = 0;
  try {
    for (;;) {
      const read = await reader?.read().catch(() => 'broken' as const);
      if (read === 'broken')
        return invalid({ body: ['Ended before it was complete: send the request again.'] });
      if (!read || read.done) return null;
      size += read.value.byteLength;
      if (size > maxBytes) return tooLarge(maxBytes);
      parts.write(read.value);
      const problem = parts.problem();
      if (problem) return problem;
      await parts.file()?.ready();
    }
  } finally {
    if (reader) void dropRest(reader);
  }
}

interface Parts<Stored> {
  fields(): Readonly<Record<string, string>>;
  file(): IncomingFile<Stored> | null;
  problem(): Problem | null;
  write(chunk: Uint8Array): void;
  end(): Problem | null;
}

function collectParts<Stored>(contentType: string, takeFile: FormReading<Stored>['takeFile']): Parts<Stored> {
  const fields = new Map<string, string>();
  let file: IncomingFile<Stored> | null = null;
  let problem: Problem | null = null;

  const parser = createFormParser(contentType, {
    field(name, value) {
      problem ??= addField(fields, name, value);
    },
    file(name, filename, mimeType) {
      if (name !== 'file' || problem) return ignore;
      if (filename === undefined) {
        problem = invalid({ file: ['Must be a file: its part has no file name.'] });
        return ignore;
      }
      if (file) {
        problem = invalid({ file: ['Must be given once.'] });
        return ignore;
      }
      const before = Object.fromEntries(fields);
      const opened = openFormFile((content) => takeFile({ filename, mimeType, content }, before));
      file = opened;
      return opened.push;
    },
    problem(complaint, part = 'body') {
      problem ??= invalid({ [part]: [complaint] });
    },
  });
  return {
    fields: () => Object.fromEntries(fields),
    file: () => file,
    problem: () => problem,
    write: parser.write,
    end() {
      parser.end();
      return problem;
    },
  };
}

function ignore(): void {}

function addField(fields: Map<string, string>, name: string, value: Uint8Array): Problem | null {
  if (fields.has(name)) return invalid({ [name]: ['Must be given once.'] });
  try {
    fields.set(name, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value));
    return null;
  } catch {
    return invalid({ [name]: ['Must be text in UTF-8.'] });
  }
}

function tooLarge(maxBytes: number): Problem {
  return refuse('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`);
}

interface FormFile {
  /** The name from the client; may be empty. */
  readonly filename: string;
  /** Null if the client declared no type. */
  readonly mimeType: string | null;
  readonly content: ReadableStream<Uint8Array>;
}

/** A file whose chunks the parser pushes to a taker, which stores it. */
export interface IncomingFile<Stored> {
  /** Null marks the end. */
  push(chunk: Uint8Array | null): void;
  /** Resolves when more may be pushed or the taker is done; rejects with the taker's error. */
  ready(): Promise<void>;
  readonly stored: Promise<Stored>;
  /** Ends the file early. Returns the taker's result, or null if the taker fails. */
  giveUp(): Promise<Stored | null>;
}

export function openFormFile<Stored>(
  take: (content: ReadableStream<Uint8Array>) => Promise<Stored>,
): IncomingFile<Stored> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const stored = take(readable);
  // Ignore these rejections: `ready` and `stored` already report a failure of the taker.
  stored.catch(ignore);
  writer.closed.catch(ignore);
  return {
    stored,
    push(chunk) {
      (chunk === null ? writer.close() : writer.write(chunk)).catch(ignore);
    },
    async ready() {
      // A taker that has ended reads no more, so the client must not wait for it, even if content is left.
      await Promise.race([writer.ready.catch(() => stored), stored]);
    },
    async giveUp() {
      // Do not await `abort`, which settles only when the taker reads on, because a failed taker never does.
      writer.abort(new Error('The request broke off in the middle of its form.')).catch(ignore);
      return stored.catch(() => null);
    },
  };
}
