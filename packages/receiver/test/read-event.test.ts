import { readEvent } from '@trunkline/receiver';
import { createEvent } from '@trunkline/receiver/testing';
import { describe, expect, it } from 'vitest';

describe('readEvent', () => {
  const event = createEvent();
  const text = JSON.stringify(event);

  it.each([
    ['text', text],
    ['bytes', new TextEncoder().encode(text)],
  ])('reads the event from %s', (_, body) => {
    expect(readEvent(body)).toEqual({ ok: true, event });
  });

  it('passes on types and fields that are newer than this package', () => {
    const newer = { ...event, type: 'message.deleted', priority: 1 };
    expect(readEvent(JSON.stringify(newer))).toEqual({ ok: true, event: newer });
  });

  it.each([
    ['an empty text', ''],
    ['half a document', text.slice(0, -1)],
    ['a byte order mark', `\ufeff${text}`],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ])('refuses %s as invalid_json', (_, body) => {
    expect(readEvent(body)).toEqual({ ok: false, reason: 'invalid_json' });
  });

  const FIELDS = ['id', 'type', 'created_at', 'workspace_id', 'data'] as const;
  const withoutField = FIELDS.map((field): [string, unknown] => [
    `an event without ${field}`,
    { ...event, [field]: undefined },
  ]);
  it.each<[string, unknown]>([
    ['null', null],
    ['a list', [event]],
    ...withoutField,
    ['data that are a list', { ...event, data: [] }],
  ])('refuses %s as invalid_event', (_, value) => {
    expect(readEvent(JSON.stringify(value))).toEqual({ ok: false, reason: 'invalid_event' });
  });
});
