import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEvent } from '@trunkline/receiver';
import type { WebhookEvent, WebhookMessage } from '@trunkline/receiver';

const OPENAPI = join(import.meta.dirname, '../../../packages/http/openapi.json');

/** The example of each event in the OpenAPI document. */
export const EXAMPLES: readonly WebhookEvent[] = readExamples();

function readExamples(): readonly WebhookEvent[] {
  const found: string[] = [];
  // The examples are the objects with the five fields of an event, anywhere under `webhooks`.
  JSON.stringify(JSON.parse(readFileSync(OPENAPI, 'utf8')).webhooks, (_key, value) => {
    if (readEvent(JSON.stringify(value) ?? '').ok) found.push(JSON.stringify(value));
    return value;
  });
  return found.map((text) => {
    const result = readEvent(text);
    if (!result.ok) throw new Error(`Not an event: ${text}`);
    return result.event;
  });
}

const received = EXAMPLES.find(({ type }) => type === 'message.received');

/** A received message that differs from the example in these fields. */
export function receivedWith(changes: Partial<WebhookMessage>): WebhookEvent {
  if (received?.type !== 'message.received') throw new Error('There is no example of message.received.');
  return { ...received, data: { message: { ...received.data.message, ...changes } } };
}
