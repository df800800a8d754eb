import type { Receipt } from './receipt.ts';

/** What every adapter makes of a receipt. The sender keeps the text in its log of the delivery. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function answerTo(receipt: Receipt): Answer {
  if (receipt.status === 204) return { status: 204, headers: {}, text: '' };
  return {
    status: receipt.status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(receipt.status === 405 ? { allow: 'POST' } : {}),
      // The rest of the body is still on its way: servers would read it, or cut the connection under the next request.
      ...(receipt.status === 413 ? { connection: 'close' } : {}),
    },
    text: textOf(receipt),
  };
}

function textOf(receipt: Receipt): string {
  if (receipt.outcome !== 'refused') return receipt.outcome;
  // The way to put it right goes to where its owner will look for it.
  return receipt.reason === 'body_not_bytes' ? `${receipt.reason}: ${receipt.message}` : receipt.reason;
}
