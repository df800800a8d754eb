import { createByteBuffer } from './byte-buffer.ts';
import { decodeWords } from './encoded-words.ts';

/** The maximum bytes of one text field. */
const FIELD_MAX = 65_536;
/** The maximum bytes of a part's headers. */
const HEADERS_MAX = 16_384;
const PARTS_MAX = 100;

interface FormHandlers {
  field(name: string, value: Uint8Array): void;
  /**
   * Returns a function that takes the bytes, and null at their end. `filename` is undefined only for a text part named
   * `file`. `mimeType` is null if the part declares no type.
   */
  file(name: string, filename: string | undefined, mimeType: string | null): Taker;
  /** Reports that the form, or this part of it, is wrong. Nothing more is reported after that. */
  problem(complaint: string, part?: string): void;
}

type Taker = (chunk: Uint8Array | null) => void;

export interface FormParser {
  write(chunk: Uint8Array): void;
  end(): void;
}

/** The element of the form to parse next. `line` is the rest of a line that began with the boundary. */
type State = 'preamble' | 'line' | 'headers' | 'content' | 'end';

/**
 * Parses a form (RFC 7578, RFC 2046 section 5.1) that arrives in chunks of any size. Holds back no more of a file than
 * could be the beginning of a boundary. A part named `file` never becomes a field.
 */
export function createFormParser(contentType: string, handlers: FormHandlers): FormParser {
  const boundary = boundaryOf(contentType);
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  let state: State = 'preamble';
  /**
   * The bytes that are not parsed yet. A CRLF comes first, because `delimiter` begins with one, and the body may begin
   * with a boundary.
   */
  const held = createByteBuffer();
  held.append(CRLF);
  /**
   * How many of the held bytes were already searched, so that a form that arrives byte by byte is not searched again
   * each time.
   */
  let searched = 0;
  let parts = 0;
  let take: Taker = ignore;

  const fail = (complaint: string, part?: string): false => {
    state = 'end';
    handlers.problem(complaint, part);
    return false;
  };

  const move = (count: number): void => {
    held.drop(count);
    searched = 0;
  };

  /** The steps of the parser. Each returns whether the held bytes may allow another step. */
  const steps: Readonly<Record<State, () => boolean>> = {
    preamble: () => passOn(ignore),
    content: () => passOn(take),
    line() {
      const rest = held.bytes();
      while (rest[searched] === SPACE || rest[searched] === TAB) searched += 1;
      if (searched > HEADERS_MAX) return fail(TOO_LARGE);
      if (rest.length < searched + 2) return false;
      if (startsWith(rest, DASHES)) {
        state = 'end';
        return false;
      }
      if (!startsWith(rest.subarray(searched), CRLF)) return fail(MALFORMED);
      // Keep the line break, because the blank line begins with it if the part has no headers.
      move(searched);
      state = 'headers';
      return true;
    },
    headers() {
      const rest = held.bytes();
      const end = find(rest, BLANK_LINE, searched);
      searched = end === -1 ? Math.max(0, rest.length - BLANK_LINE.length + 1) : end;
      if (searched > HEADERS_MAX) return fail(TOO_LARGE);
      if (end === -1) return false;
      parts += 1;
      if (parts > PARTS_MAX) return fail(TOO_LARGE);
      const headers = unfolded(new TextDecoder().decode(rest.subarray(0, end)));
      move(end + BLANK_LINE.length);
      state = 'content';
      return begin(headers);
    },
    end: () => false,
  };

  const passOn = (to: Taker): boolean => {
    const rest = held.bytes();
    const end = find(rest, delimiter, 0);
    const length = end === -1 ? certain(rest, delimiter) : end;
    if (length > 0) to(rest.subarray(0, length));
    if (state === 'end') return false;
    move(end === -1 ? length : end + delimiter.length);
    if (end === -1) return false;
    state = 'line';
    to(null);
    return true;
  };

  const begin = (headers: string): boolean => {
    const [disposition, ...more] = valuesOf('content-disposition', headers);
    const names = more.length > 0 ? null : readPartNames(disposition);
    if (!names) return fail(MALFORMED);
    const [mimeType = null] = valuesOf('content-type', headers);
    const { name, filename = name === 'file' && isFileType(mimeType) ? '' : undefined } = names;
    if (valuesOf('content-transfer-encoding', headers).some(isEncoded)) return fail(ENCODED, name);
    take =
      name === 'file' || filename !== undefined ? handlers.file(name, filename, mimeType) : collect(name);
    return true;
  };

  const collect = (name: string): Taker => {
    const value = createByteBuffer();
    return (chunk) => {
      if (chunk === null) return handlers.field(name, value.bytes());
      if (value.length + chunk.length > FIELD_MAX) return void fail(TOO_LARGE);
      value.append(chunk);
    };
  };

  const run = (): void => {
    while (steps[state]());
  };

  if (boundary === '') fail(NO_BOUNDARY);
  return {
    write(chunk) {
      if (state === 'end') return;
      held.append(chunk);
      run();
    },
    end() {
      if (state !== 'end') fail(MALFORMED);
    },
  };
}

const MALFORMED = 'Must be a well-formed multipart/form-data body.';
const NO_BOUNDARY =
  'Must have a boundary, which the Content-Type of the request names (multipart/form-data; boundary=…): HTTP clients add it if you leave this header to them.';
const ENCODED =
  'Must be sent as it is, without Content-Transfer-Encoding, which forms do not have (RFC 7578 section 4.7).';
const TOO_LARGE = `Must have at most ${PARTS_MAX} parts, with headers of at most ${HEADERS_MAX} bytes each, and text fields of at most ${FIELD_MAX} bytes.`;

const encoder = new TextEncoder();
const CRLF = encoder.encode('\r\n');
const BLANK_LINE = encoder.encode('\r\n\r\n');
const DASHES = encoder.encode('--');
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** Returns '' if there is no boundary. */
function boundaryOf(contentType: string): string {
  const [, quoted, token] =
    /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  return quoted ?? token ?? '';
}

/** The values of the header `name`, which must be in lower case. */
function valuesOf(name: string, headers: string): readonly string[] {
  return headers.split('\r\n').flatMap((line) => {
    const [found = ''] = line.split(':', 1);
    return found.toLowerCase() === name ? [line.slice(found.length + 1).trim()] : [];
  });
}

/** Unfolds headers (RFC 5322 section 2.2.3). */
function unfolded(headers: string): string {
  return headers.replaceAll(/\r\n(?=[ \t])/g, '');
}

/** Whether the type shows that a part without a file name is a file, because Node's fetch omits an empty name. */
function isFileType(mimeType: string | null): boolean {
  return mimeType !== null && !/^text\/plain\b/i.test(mimeType);
}

/** Whether an encoding changes the bytes (RFC 2045 section 6). */
function isEncoded(encoding: string): boolean {
  return !['7bit', '8bit', 'binary'].includes(encoding.toLowerCase());
}

function ignore(): void {}

/** Finds a needle that begins with a carriage return. Returns its index, at least `from`, or -1. */
function find(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  let at = bytes.indexOf(CR, from);
  while (at !== -1) {
    let matched = 1;
    while (matched < needle.length && bytes[at + matched] === needle[matched]) matched += 1;
    if (matched === needle.length) return at;
    // `indexOf` is much faster than a loop, except when called for each byte.
    at = bytes[at + 1] === CR ? at + 1 : bytes.indexOf(CR, at + 1);
  }
  return -1;
}

/** How many bytes from the start cannot belong to the needle, whatever bytes follow. */
function certain(bytes: Uint8Array, needle: Uint8Array): number {
  const beginning = bytes.indexOf(CR, Math.max(0, bytes.length - needle.length + 1));
  return beginning === -1 ? bytes.length : beginning;
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return bytes.length >= beginning.length && beginning.every((byte, index) => bytes[index] === byte);
}

interface PartNames {
  readonly name: string;
  /** The name that the client gave the file; undefined if the part is not a file. */
  readonly filename: string | undefined;
}

/**
 * Reads the Content-Disposition of a part (RFC 7578 section 4.2), which browsers send in raw UTF-8. Null if it is not
 * `form-data` or has no name.
 */
function readPartNames(disposition = ''): PartNames | null {
  if (!/^form-data\s*(;|$)/i.test(disposition)) return null;
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, token] of disposition.matchAll(PARAMETER)) {
    parameters.set(key.toLowerCase(), quoted === undefined ? (token ?? '') : unescaped(quoted));
  }
  const name = parameters.get('name');
  if (name === undefined) return null;
  const filename = parameters.get('filename');
  return {
    name,
    filename: extended(parameters.get('filename*')) ?? (filename && decodeWords(filename)),
  };
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** Browsers write a quote as `%22` (Fetch, multipart/form-data), curl as `\"`. Other backslashes are literal. */
function unescaped(quoted: string): string {
  return quoted
    .replaceAll(/\\(["\\])/g, '$1')
    .replaceAll('%22', '"')
    .replaceAll(/%0d|%0a/gi, ' ');
}

/** Decodes `UTF-8''na%C3%AFve.txt` (RFC 8187), which forms should not use, but some clients do. */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
