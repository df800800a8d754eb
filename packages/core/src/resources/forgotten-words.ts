import * as z from 'zod';
import type { Message } from '../domain/message/message.ts';
import { messageResource } from './message.ts';

const bodyAbout = z.looseObject({
  data: z.looseObject({
    message: z.looseObject({ id: z.string() }),
    action: z.looseObject({ text: z.string().nullable() }).optional(),
  }),
});

/**
 * Removes a message's content from the body of an event about the message, or about an action on it. `deleted` is the
 * message after its deletion. The other parts of the body stay. A body that is not about this message is returned
 * unchanged.
 */
export function forgetWords(payload: string, deleted: Message): string {
  const read = bodyAbout.safeParse(parsed(payload));
  if (!read.success || read.data.data.message.id !== deleted.id) return payload;
  const { text, caption, media, kind, payload: detail } = messageResource(deleted);
  const { data } = read.data;
  const message = { ...data.message, text, caption, media, kind, payload: detail };
  const action = data.action && { action: { ...data.action, text: null } };
  return JSON.stringify({ ...read.data, data: { ...data, message, ...action } });
}

/** Null if the body is not JSON, which Trunkline never writes. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}
