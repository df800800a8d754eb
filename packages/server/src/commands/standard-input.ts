import { addAbortSignal } from 'node:stream';
import { usageError } from '../errors/command-error.ts';

/** Far more than any text or key that a command takes. */
const MAX_BYTES = 64 * 1024;

/** Returns all of standard input as text. Throws a usage error if it is too long or not UTF-8. */
export async function standardInput(signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    const bytes: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.byteLength;
    if (size > MAX_BYTES) throw usageError(`Standard input has more than ${MAX_BYTES / 1024} KiB.`);
    chunks.push(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError('Standard input is not text in UTF-8.');
  }
}
