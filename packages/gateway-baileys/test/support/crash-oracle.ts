import type { MessageResource } from '@trunkline/core';
import { expect } from 'vitest';
import { eventually } from '@trunkline/test-support';
import type { CrashScene } from './crash-scene.ts';
import { toldAbout } from './flow.ts';

/**
 * Each text is in the chat once, and was told to be sent once. What the chat shows is what
 * the other phone could read: a repeat under the same id is no second message.
 */
export async function expectSentOnce(scene: CrashScene, texts: readonly string[]): Promise<void> {
  const { wa, bob, receiver } = scene;
  const messages = await messagesOf(scene, 'outbound');
  expect(messages.map(({ text }) => text)).toEqual(texts);
  for (const { id } of messages) expect(toldAbout(scene, id)).toEqual(['message.sent']);
  const chat = wa.inbox(bob);
  expect(chat.map(({ content }) => content)).toEqual(texts.map((text) => ({ type: 'text', text })));
  const networkIds = new Set(wa.sentMessages().map(({ id }) => id));
  expect([...networkIds]).toEqual(chat.map(({ id }) => id));
  expect(receiver.forged()).toBe(0);
}

/** Each text was received once, and told once. */
export async function expectReceivedOnce(scene: CrashScene, texts: readonly string[]): Promise<void> {
  const messages = await messagesOf(scene, 'inbound');
  expect(messages.map(({ text }) => text ?? '').toSorted(byCode)).toEqual(texts.toSorted(byCode));
  await eventually(() => {
    for (const { id } of messages) expect(toldAbout(scene, id)).toEqual(['message.received']);
  });
  expect(scene.receiver.forged()).toBe(0);
}

export function untilReceived(scene: CrashScene, count: number): Promise<void> {
  return eventually(async () =>
    expect((await messagesOf(scene, 'inbound')).length).toBeGreaterThanOrEqual(count),
  );
}

/** Oldest first. */
export async function messagesOf(
  { service, instance }: CrashScene,
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
