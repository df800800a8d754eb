import { printableLines } from '../terminal/printable.ts';
import { errorCode } from '../errors/start-error.ts';

/** The maximum total size of the lines that wait to be written. */
const KEPT_BYTES = 1_048_576;
const TRY_AGAIN_MS = 1_000;
/** How long an ending process waits for a slow reader. */
const LAST_TRIES_MS = 1_000;
const BETWEEN_LAST_TRIES_MS = 10;

/** Writes some or all of the bytes, and returns how many. Throws the system's error. */
type WriteBytes = (bytes: Uint8Array) => number;

export interface LogTarget {
  readonly write: WriteBytes;
  readonly render?: (line: string) => string;
}

/** The stream that pino writes to. */
export interface LogFile {
  write(line: string): void;
  /** Writes the waiting lines, and waits up to a second for a slow reader to take them. */
  flushSync(): void;
}

/**
 * Writes synchronously, so that the last lines before the process ends are written too. A full disk or a slow reader
 * neither blocks nor ends the running process: lines wait, in order, while there is room, and are retried every second
 * and when the process ends. Once no line is waiting, `onLost` is called with the number of lines that did not fit, if
 * any. `render` formats a line of JSON.
 */
export function createLogFile(
  { write, render = jsonLine }: LogTarget,
  onLost: (lines: number) => void,
): LogFile {
  const waiting: Uint8Array[] = [];
  let bytes = 0;
  let lost = 0;
  let again: NodeJS.Timeout | null = null;

  /** Returns the system's error code if lines still wait, otherwise null. */
  const writeWaiting = (): string | null => {
    try {
      for (let [first] = waiting; first; [first] = waiting) {
        const written = write(first);
        bytes -= written;
        if (written < first.length) waiting[0] = first.subarray(written);
        else waiting.shift();
      }
      return null;
    } catch (error) {
      return errorCode(error) ?? ''; // the log cannot report its own failure
    }
  };
  const flushSync = (): void => {
    const until = performance.now() + LAST_TRIES_MS;
    while (writeWaiting() === 'EAGAIN' && performance.now() < until)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_LAST_TRIES_MS);
  };
  const flush = (): void => {
    if (writeWaiting() !== null) {
      if (again === null) {
        process.once('exit', flushSync);
        again = setTimeout(() => {
          process.off('exit', flushSync);
          again = null;
          flush();
        }, TRY_AGAIN_MS).unref();
      }
      return;
    }
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    onLost(lines);
  };
  return {
    write(line) {
      const added = Buffer.from(render(line));
      const fits = (): boolean => bytes + added.length <= KEPT_BYTES;
      if (!fits() && (writeWaiting() !== null || !fits())) lost += 1;
      else {
        waiting.push(added);
        bytes += added.length;
      }
      flush();
    },
    flushSync,
  };
}

/** Escapes C1 and bidirectional controls too, which JSON may contain and a terminal would follow. */
function jsonLine(line: string): string {
  return printableLines(line);
}
