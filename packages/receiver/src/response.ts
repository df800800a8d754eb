import type { ReceiveResult, RefusalReason } from './receive-result.ts';

/** The response that every adapter sends for a result. The sender keeps the text in its log of the delivery. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function responseTo(result: ReceiveResult): Reply {
  if (result.status === 204) return { status: 204, headers: {}, text: '' };
  return {
    status: result.status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(result.status === 405 ? { allow: 'POST' } : {}),
      // The rest of the body may still be arriving. Otherwise, servers would read it to its end, or cut the connection
      // during the next request.
      ...(isRefusedUnread(result) ? { connection: 'close' } : {}),
    },
    text: textOf(result),
  };
}

/** Whether the request was refused before its body was read to the end. */
function isRefusedUnread(result: ReceiveResult): boolean {
  return result.outcome === 'refused' && !REFUSED_AFTER_READING.includes(result.reason);
}

const REFUSED_AFTER_READING: readonly RefusalReason[] = [
  'signature_mismatch',
  'invalid_json',
  'invalid_event',
];

function textOf(result: ReceiveResult): string {
  if (result.outcome !== 'refused') return result.outcome;
  // The receiver's owner, who needs the instructions, will look at this response.
  return result.reason === 'body_not_bytes' ? `${result.reason}: ${result.message}` : result.reason;
}
