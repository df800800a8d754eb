import type { MessageType } from './message.ts';

/** Everything that makes two send requests the same request. `to` as normalised, `sha256` of the file. */
export interface SendFingerprint {
  readonly instanceId: string;
  readonly to: string;
  readonly type: MessageType;
  readonly text: string | null;
  readonly caption: string | null;
  readonly filename: string | null;
  readonly sha256: string | null;
}

/** One text for one request: its digest is what an idempotency record keeps. */
export function canonicalFingerprint(request: SendFingerprint): string {
  const { instanceId, to, type, text, caption, filename, sha256 } = request;
  return JSON.stringify([instanceId, to, type, text, caption, filename, sha256]);
}
