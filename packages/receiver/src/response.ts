import type { Receipt, RefusalReason } from './receipt.ts';

/** What every adapter makes of a receipt. The sender keeps the text in its log of the delivery. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function responseTo(receipt: Receipt): Reply {
  if (receipt.status === 204) return { status: 204, headers: {}, text: '' };
  return {
    status: receipt.status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(receipt.status === 405 ? { allow: 'POST' } : {}),
      // The body is still arriving: servers would read it to its end, or cut the connection under the next request.
      ...(isRefusedUnread(receipt) ? { connection: 'close' } : {}),
    },
    text: textOf(receipt),
  };
}

/** Whether the body was not read to its end, for want of headers that are worth it or because of the body itself. */
function isRefusedUnread(receipt: Receipt): boolean {
  return receipt.outcome === 'refused' && !REFUSED_AFTER_READING.includes(receipt.reason);
}

const REFUSED_AFTER_READING: readonly RefusalReason[] = [
  'signature_mismatch',
  'invalid_json',
  'invalid_event',
];

function textOf(receipt: Receipt): string {
  if (receipt.outcome !== 'refused') return receipt.outcome;
  // The way to put it right goes to where its owner will look for it.
  return receipt.reason === 'body_not_bytes' ? `${receipt.reason}: ${receipt.message}` : receipt.reason;
}
