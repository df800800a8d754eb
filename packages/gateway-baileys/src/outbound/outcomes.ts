import type { MessageError, SendOutcome } from '@trunkline/core/spi/gateway';
import { SessionBrokenError } from '../session/session-values.ts';
import { briefly, queryErrorOf, statusCodeOf } from '../socket/status-code.ts';

export function refused(code: string, message: string): SendOutcome {
  return { kind: 'refused', error: { code, message } };
}

const NOT_ON_WHATSAPP: MessageError = {
  code: 'recipient_not_on_whatsapp',
  message: 'The recipient is not on WhatsApp: check the number.',
};

export const notOnWhatsApp: SendOutcome = { kind: 'refused', error: NOT_ON_WHATSAPP };

/** The waits after WhatsApp has limited requests, and after any other failure before the write. */
const LIMITED_MS = 60_000;
const FAILED_MS = 15_000;

const NETWORK_BUSY: MessageError = {
  code: 'network_busy',
  message:
    'WhatsApp did not take the message, or did not respond to what has to be asked before it, until it was given up. It was not sent: send it again later, and fewer messages at a time.',
};

/** WhatsApp lists no device of the recipient for which the message could be encrypted. */
export const UNREACHABLE: SendOutcome = {
  kind: 'not_sent',
  reason: 'WhatsApp names no device of the recipient with keys',
  retryAfterMs: LIMITED_MS,
  error: {
    code: 'recipient_unreachable',
    message:
      'WhatsApp named no device of the recipient that the message could be encrypted for, until it was given up. It was not sent: the recipient may have to open WhatsApp first.',
  },
};

/** No other member of the group has the key to our messages, and WhatsApp hands out no keys with which to send it. */
export const GROUP_UNREACHABLE: SendOutcome = {
  kind: 'not_sent',
  reason: 'WhatsApp hands out no keys of the other members of the group',
  retryAfterMs: LIMITED_MS,
  error: {
    code: 'recipient_unreachable',
    message:
      'No other member of the group could have read the message, because WhatsApp handed out no keys of theirs until it was given up. It was not sent: send it again later.',
  },
};

export const CONNECTION_CLOSED = 'the connection closed';

/**
 * Whether an error means that the connection had closed, or is about to. Baileys rejects with code 428 or with a bare
 * number.
 */
export function isClosed(error: unknown): boolean {
  return typeof error === 'number' || statusCodeOf(error) === 428 || error instanceof SessionBrokenError;
}

/** The outcome of a failure before the message was written. The error need not say that the connection has closed. */
export function notWritten(error: unknown, isOpen: boolean): SendOutcome {
  if (!isOpen || isClosed(error)) return { kind: 'not_sent', reason: CONNECTION_CLOSED };
  if (isUnencryptable(error)) return UNREACHABLE;
  const isLimited = (queryErrorOf(error) ?? statusCodeOf(error)) === 429;
  return {
    kind: 'not_sent',
    reason: briefly(error),
    retryAfterMs: isLimited ? LIMITED_MS : FAILED_MS,
    error: NETWORK_BUSY,
  };
}

/**
 * Whether an error while encrypting and writing proves that nothing was written: the network refused a query before the
 * write, or encryption failed for all devices.
 */
export function provesNothingWritten(error: unknown): boolean {
  return queryErrorOf(error) !== null || isUnencryptable(error);
}

/** Baileys gives this error no code, so compare its message. */
function isUnencryptable(error: unknown): boolean {
  return error instanceof Error && error.message === 'All encryptions failed';
}

/** Final refusals of a message, by error code. The message is not retried. */
const REFUSALS: Readonly<Record<string, MessageError>> = {
  '401': { code: 'not_allowed', message: 'WhatsApp does not let the number of this instance write there.' },
  '403': { code: 'not_allowed', message: 'WhatsApp does not let the number of this instance write there.' },
  '404': NOT_ON_WHATSAPP,
  '406': {
    code: 'message_not_acceptable',
    message: 'WhatsApp does not accept this message: change it before you send it again.',
  },
  // Another attempt to reach a stranger could make the restriction worse.
  '463': {
    code: 'account_restricted',
    message:
      'WhatsApp does not let the number of this instance write to people it has not written to before: wait until it does.',
  },
  '479': {
    code: 'message_not_acceptable',
    message: 'WhatsApp does not accept this message: change it before you send it again.',
  },
};

/** Temporary refusals: an outdated list of members, or too many messages. */
const REFUSED_FOR_NOW = new Set(['421', '429']);

/** The network's own errors, after which the message may still have been accepted. */
const PASSING = new Set(['408', '500', '502', '503', '504']);

/** Whether the network may accept a message that it refused with this code if it is sent again later. */
export function isForNow(code: string): boolean {
  return REFUSED_FOR_NOW.has(code) || PASSING.has(code);
}

/** Reads the error code of an ack; null means that the network accepted the message. */
export function ackOutcome(code: string | null): SendOutcome {
  if (code === null) return { kind: 'accepted' };
  const reason = `WhatsApp responded with error ${code}`;
  if (REFUSED_FOR_NOW.has(code)) {
    return { kind: 'not_sent', reason, retryAfterMs: LIMITED_MS, error: NETWORK_BUSY };
  }
  if (PASSING.has(code)) return { kind: 'unknown', reason };
  const error = REFUSALS[code] ?? {
    code: 'network_refused',
    message: `WhatsApp refused the message (${code}).`,
  };
  return { kind: 'refused', error };
}
