import type { MessageError, SendOutcome } from '@trunkline/core/spi/gateway';

/** Errors that the network answers a message with. It will not take the same message later either. */
const REFUSALS: Readonly<Record<string, MessageError>> = {
  '401': { code: 'not_allowed', message: 'This number may not write there.' },
  '403': { code: 'not_allowed', message: 'This number may not write there.' },
  '404': { code: 'recipient_not_on_whatsapp', message: 'The recipient is not on WhatsApp.' },
  '406': { code: 'message_not_acceptable', message: 'WhatsApp does not accept this message.' },
  // Sending it again would count as another attempt to reach a stranger, and make the restriction worse.
  '463': {
    code: 'account_restricted',
    message: 'WhatsApp does not let this number write to people it has not written to before.',
  },
  '479': { code: 'message_not_acceptable', message: 'WhatsApp does not accept this message.' },
};

/** The network's own troubles: the message may be taken later. */
const PASSING = new Set(['408', '429', '500', '502', '503', '504']);

/** Reads the error code of an ack. */
export function refusalOf(code: string): SendOutcome {
  if (PASSING.has(code)) return { kind: 'unknown', reason: `WhatsApp answered ${code}` };
  const error = REFUSALS[code] ?? {
    code: 'network_refused',
    message: `WhatsApp refused the message (${code}).`,
  };
  return { kind: 'refused', error };
}

export function refused(code: string, message: string): SendOutcome {
  return { kind: 'refused', error: { code, message } };
}
