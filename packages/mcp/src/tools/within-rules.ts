import * as z from 'zod';
import { isAllowedCounterpart } from '../counterparts.ts';
import { hasScope, refusedBy } from './tool.ts';
import type { Asker, Outcome, ToolUse } from './tool.ts';

const FINAL = 'Nothing was sent. Only the operator can change the rule.';

/** Whether a key may use the tools that send. */
export function maySend(asker: Asker): boolean {
  const { sending, principal } = asker;
  if (sending === null) return false;
  return sending.keys === null ? hasScope(asker, 'messages:send') : sending.keys.has(principal.apiKey.id);
}

export const idempotencyKey: z.ZodType<string> = z
  .string()
  .regex(/^[A-Za-z0-9_-]{8,40}$/, 'Must be 8 to 40 letters, digits, - and _.')
  .describe(
    'A new one for each call. If you do not know whether a call succeeded, repeat it with the same one: it is sent once.',
  );

export const messagesLeftToday: z.ZodType<number> = z
  .int()
  .min(0)
  .describe('How many more the rules allow on this day (UTC).');

export const replayed: z.ZodType<boolean> = z
  .boolean()
  .describe('True if an earlier call with the same key has sent it.');

/**
 * Takes one of the messages of the day, if the rules allow sending to this recipient from this instance. Otherwise
 * returns the refusal.
 */
export async function takeOne(
  { api, principal, sending, daily }: ToolUse,
  { to, instance, key }: { readonly to: string; readonly instance: string; readonly key: string },
): Promise<{ readonly left: number } | Outcome<never>> {
  if (sending === null || !isAllowedCounterpart(sending.to, to))
    return refusedBy('counterparts', `this recipient may not be written to. ${FINAL}`);
  if (sending.from !== null && !sending.from.has(instance))
    return refusedBy('instances', `messages may not be sent from this instance. ${FINAL}`);
  // An unknown instance must not use up a message of the day.
  await api.instances.get(instance);
  const left = await daily.take({
    workspaceId: principal.workspace.id,
    limit: sending.messagesPerDay,
    key,
  });
  return left === null
    ? refusedBy(
        'messages per day',
        'the messages of this day (UTC) are used up. Nothing was sent. Do not try again before tomorrow.',
      )
    : { left };
}
