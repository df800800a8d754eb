import type { MessageResource } from '@trunkline/core';
import { expect } from 'vitest';
import { eventually } from '@trunkline/test-support';
import type { CrashHarness } from './crash-harness.ts';
import { reportedAbout } from './flow.ts';

/**
 * Checks that the other phone could read each text once, and that each was reported as sent once. A repeat under the
 * same id does not count.
 */
export async function expectSentOnce(harness: CrashHarness, texts: readonly string[]): Promise<void> {
  const { wa, bob, receiver } = harness;
  const messages = await messagesOf(harness, 'outbound');
  expect(messages.map(({ text }) => text)).toEqual(texts);
  for (const { id } of messages) expect(reportedAbout(harness, id)).toEqual(['message.sent']);
  const chat = wa.inbox(bob);
  expect(chat.map(({ content }) => content)).toEqual(texts.map((text) => ({ type: 'text', text })));
  const networkIds = new Set(wa.sentMessages().map(({ id }) => id));
  expect([...networkIds]).toEqual(chat.map(({ id }) => id));
  expect(receiver.forged()).toBe(0);
}

export async function expectReceivedOnce(harness: CrashHarness, texts: readonly string[]): Promise<void> {
  const messages = await messagesOf(harness, 'inbound');
  expect(messages.map(({ text }) => text ?? '').toSorted(byCode)).toEqual(texts.toSorted(byCode));
  await eventually(() => {
    for (const { id } of messages) expect(reportedAbout(harness, id)).toEqual(['message.received']);
  });
  expect(harness.receiver.forged()).toBe(0);
}

export function untilReceived(harness: CrashHarness, count: number): Promise<void> {
  return eventually(async () =>
    expect((await messagesOf(harness, 'inbound')).length).toBeGreaterThanOrEqual(count),
  );
}

export async function messagesOf(
  { service, instance }: CrashHarness,
  direction: MessageResource['direction'],
): Promise<readonly MessageResource[]> {
  const messages: MessageResource[] = [];
  for await (const message of service().client.messages.iterate({ instance, direction }))
    messages.push(message);
  return messages.toReversed();
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : 1;
}
