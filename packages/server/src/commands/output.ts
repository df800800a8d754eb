import { printable, printableJson } from '../terminal/printable.ts';
import { showsColors } from '../terminal/shows-colors.ts';
import { complaintsOf } from '../errors/start-error.ts';
import { CommandError } from '../errors/command-error.ts';
import { renderText } from '../terminal/styled-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { systemComplaint } from '../errors/system-error.ts';

/**
 * The output of a command: for people, or with `--json` one line of JSON per result. Control characters other than line
 * breaks are escaped, so pass text that must stay on one line through `printable` first.
 */
export interface Output {
  readonly isJson: boolean;
  /** Whether a person can be asked: stdin and stdout are terminals, and `--json` is not set. */
  readonly isInteractive: boolean;
  /** The width of the terminal in columns; null if results do not go to a terminal or are JSON. */
  readonly width: number | null;
  /** Prints a result: `value` with `--json`, otherwise `text` unless it is empty. */
  result(value: unknown, text: Text): void;
  /** Writes a line for people only, on stdout. */
  say(line: Text): void;
  /** Writes a note for people only, on stderr. */
  note(line: string): void;
  /** Shows the current step on stderr, in place of the previous step; only on a terminal. */
  progress(line: string): void;
  /** Prints why the command failed, on stderr. */
  error(error: unknown): void;
}

interface Streams {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stdout: Pick<NodeJS.WriteStream, 'write'> & {
    readonly isTTY?: boolean | undefined;
    readonly columns?: number | undefined;
  };
  readonly stderr: Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean | undefined };
}

export function createOutput(
  isJson: boolean,
  streams: Streams = process,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Output {
  const { stdin, stdout, stderr } = streams;
  const canWriteOver = stderr.isTTY === true && environment['TERM'] !== 'dumb';
  let hasProgress = false;
  const clearProgress = (): void => {
    if (hasProgress) stderr.write('\r\u001b[K');
    hasProgress = false;
  };
  const print = (stream: Streams['stdout'], text: Text): void => {
    clearProgress();
    stream.write(`${renderText(text, !isJson && showsColors(stream, environment))}\n`);
  };
  return {
    isJson,
    width: !isJson && stdout.isTTY === true ? (stdout.columns ?? null) : null,
    isInteractive: !isJson && stdin.isTTY === true && stdout.isTTY === true,
    result(value, text) {
      if (isJson) print(stdout, printableJson(value));
      else if (text !== '') print(stdout, text);
    },
    say(line) {
      if (!isJson) print(stdout, line);
    },
    note(line) {
      if (!isJson) print(stderr, line);
    },
    progress(line) {
      if (isJson || !canWriteOver) return;
      stderr.write(`\r\u001b[K${printable(line)}`);
      hasProgress = true;
    },
    error(error) {
      const complaints = complaintsIn(error);
      if (isJson) {
        const { code, requestId } =
          error instanceof CommandError ? error : { code: 'FAILED', requestId: null };
        print(
          stderr,
          printableJson({ error: { code, message: complaints.join(' '), request_id: requestId } }),
        );
      } else
        for (const complaint of complaints)
          print(stderr, printable(`trunkline: ${complaint}${referenceOf(error)}`));
    },
  };
}

/** The code and request id to quote in a problem report; empty without a request id. */
function referenceOf(error: unknown): string {
  return error instanceof CommandError && error.requestId !== null
    ? ` (${error.code}, ${error.requestId})`
    : '';
}

/** The complaints of any error, each as one line for people. */
export function complaintsIn(error: unknown): readonly string[] {
  if (error instanceof CommandError) return error.complaints;
  const complaint = systemComplaint(error);
  return complaint === null ? complaintsOf(error) : [complaint];
}
