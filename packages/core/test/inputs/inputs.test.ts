import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { instanceInput } from '../../src/inputs/instances.ts';
import { messageInput, messageQuery } from '../../src/inputs/messages.ts';
import { invalid, readInput } from '../../src/inputs/read-input.ts';
import { deliveryQuery, webhookChanges, webhookInput } from '../../src/inputs/webhooks.ts';
import { SENDABLE_KINDS } from '../../src/services/message-kinds/message-kinds.ts';

const textInput = SENDABLE_KINDS.text.sending.input;

const EMOJI = '🙂';
const LONE_SURROGATE = '\ud800';

function complaints(
  schema: z.ZodType<unknown, unknown>,
  input: unknown,
): Readonly<Record<string, readonly string[]>> {
  const read = readInput(schema, input);
  if (read.ok) return {};
  expect(read.refusal.code).toBe('VALIDATION_FAILED');
  return read.refusal.details?.fields ?? {};
}
const fields = (schema: z.ZodType<unknown, unknown>, input: unknown): readonly string[] =>
  Object.keys(complaints(schema, input));

describe('a body', () => {
  it.each([null, undefined, 'text', 7, [], true])('%j is not an object: reported under body', (body) => {
    expect(fields(webhookInput, body)).toEqual(['body']);
  });

  it('may have unknown fields', () => {
    const read = readInput(instanceInput, { name: 'Support', colour: 'red' });
    expect(read).toEqual({ ok: true, value: { name: 'Support' } });
  });

  it('reports everything that is wrong in one error, each under its field and once', () => {
    const found = complaints(webhookInput, { url: 7, events: ['nope', 'nope'], description: 9 });
    expect(Object.keys(found)).toEqual(['url', 'events', 'description']);
    for (const messages of Object.values(found)) expect(new Set(messages).size).toBe(messages.length);
  });

  it('is refused in words that say what is wrong with which field', () => {
    for (const text of ['  ', '\u0085\u00a0\u2003'])
      expect(readInput(textInput, { text })).toMatchObject({
        refusal: { message: 'The request is not valid. text: Must hold more than white space.' },
      });
    expect(readInput(webhookInput, {})).toMatchObject({
      refusal: { message: 'The request is not valid. url: Is required. events: Is required.' },
    });
  });

  it('is refused in words that name five fields at most, however many are wrong', () => {
    const wrong = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`field${i}`, ['Is unknown']]));
    const { message, details } = invalid(wrong).refusal;
    expect(message).toBe(
      'The request is not valid. field0: Is unknown. field1: Is unknown. field2: Is unknown. field3: Is unknown. field4: Is unknown. details.fields has 2 more.',
    );
    expect(details).toEqual({ fields: wrong });
  });
});

describe('the name of an instance', () => {
  it.each([['x'], ['x'.repeat(100)], [EMOJI.repeat(100)], [`  ${'x'.repeat(100)}  `]])(
    'may be %j',
    (name) => {
      expect(readInput(instanceInput, { name })).toEqual({ ok: true, value: { name: name.trim() } });
    },
  );

  it('may be left out', () => {
    expect(readInput(instanceInput, {})).toEqual({ ok: true, value: {} });
  });

  it.each([[''], ['   '], ['x'.repeat(101)], [EMOJI.repeat(101)], ['a\0b'], [LONE_SURROGATE], [7]])(
    'may not be %j',
    (name) => {
      expect(fields(instanceInput, { name })).toEqual(['name']);
    },
  );
});

describe('a message', () => {
  const message = { instance: 'ins_1', to: '34600123456', type: 'text', text: 'Hello' };

  it.each(['instance', 'to', 'type'])('needs %s, as text', (field) => {
    expect(fields(messageInput, { ...message, [field]: undefined })).toEqual([field]);
    expect(fields(messageInput, { ...message, [field]: 34600123456 })).toEqual([field]);
  });

  it.each([['x'], ['x'.repeat(4096)], [EMOJI.repeat(4096)], ['  kept as it is  \n']])(
    'may say %j',
    (text) => {
      expect(readInput(textInput, { text })).toEqual({ ok: true, value: { text } });
    },
  );

  it.each([
    [''],
    [' \n\t '],
    ['x'.repeat(4097)],
    [EMOJI.repeat(4097)],
    ['a\0b'],
    [`a${LONE_SURROGATE}`],
    [null],
    [undefined],
  ])('may not say %j', (text) => {
    expect(fields(textInput, { text })).toEqual(['text']);
  });
});

describe('a webhook', () => {
  const webhook = { url: 'https://hooks.example.com/', events: ['message.sent'] };

  it.each(['url', 'events'])('needs %s on create, and not on update', (field) => {
    for (const nothing of [undefined, null]) {
      expect(fields(webhookInput, { ...webhook, [field]: nothing })).toEqual([field]);
      expect(fields(webhookChanges, { ...webhook, [field]: nothing })).toEqual([]);
    }
  });

  it.each([
    ['none', []],
    ['a repeated name', ['message.sent', 'message.sent']],
    ['webhook.test', ['webhook.test']],
    ['an unknown name', ['message.starred']],
    ['a name in upper case', ['MESSAGE.SENT']],
    ['21 names', Array.from({ length: 21 }, () => 'message.sent')],
    ['a text', 'message.sent'],
  ])('may not have as events: %s', (_, events) => {
    expect(fields(webhookInput, { ...webhook, events })).toEqual(['events']);
    expect(fields(webhookChanges, { events })).toEqual(['events']);
  });

  it.each([[null], [''], ['x'.repeat(255)], [EMOJI.repeat(255)]])(
    'may have the description %j',
    (description) => {
      expect(readInput(webhookInput, { ...webhook, description })).toEqual({
        ok: true,
        value: { ...webhook, description },
      });
    },
  );

  it.each([['x'.repeat(256)], ['a\0b'], [7]])('may not have the description %j', (description) => {
    expect(fields(webhookInput, { ...webhook, description })).toEqual(['description']);
  });

  it('has its status ignored on create and checked on update', () => {
    expect(readInput(webhookInput, { ...webhook, status: 'nonsense' })).toEqual({ ok: true, value: webhook });
    expect(fields(webhookChanges, { status: 'paused' })).toEqual(['status']);
    expect(fields(webhookChanges, { status: 'disabled' })).toEqual([]);
  });
});

describe('a query for messages', () => {
  it('has 25 to a page unless it says otherwise', () => {
    expect(readInput(messageQuery, {})).toEqual({ ok: true, value: { limit: 25 } });
  });

  it.each([[1], [100], ['1'], ['100'], ['025']])('may have the limit %j', (limit) => {
    expect(readInput(messageQuery, { limit })).toMatchObject({ ok: true, value: { limit: Number(limit) } });
  });

  it.each([
    [0],
    [101],
    [-1],
    [1.5],
    [Number.NaN],
    ['0'],
    ['101'],
    [''],
    ['ten'],
    ['1.5'],
    ['1e1'],
    [' 1'],
    ['-1'],
    [null],
  ])('may not have the limit %j', (limit) => {
    expect(fields(messageQuery, { limit })).toEqual(['limit']);
  });

  it('takes one status or several, however they are ordered or repeated', () => {
    const statuses = (status: string) => readInput(messageQuery, { status });
    expect(statuses('sent')).toMatchObject({ value: { status: ['sent'] } });
    expect(statuses('sent,queued,sent')).toEqual(statuses('queued,sent'));
  });

  it.each([
    ['status', 'gone'],
    ['status', ''],
    ['status', 'sent,'],
    ['status', 'sent, queued'],
    ['status', Array.from({ length: 25 }, () => 'sent').join()],
    ['direction', 'sideways'],
    ['direction', ''],
    ['type', 'sticker'],
    ['instance', ''],
    ['instance', 'x'.repeat(41)],
    ['cursor', ''],
    ['cursor', 'x'.repeat(513)],
  ])('may not have the %s %j', (field, value) => {
    expect(fields(messageQuery, { [field]: value })).toEqual([field]);
  });
});

describe('a query for deliveries', () => {
  it('may ask for an event that does not exist, and not for such a status', () => {
    expect(fields(deliveryQuery, { event: 'nope' })).toEqual([]);
    expect(fields(deliveryQuery, { event: 'x'.repeat(41) })).toEqual(['event']);
    expect(fields(deliveryQuery, { event: '' })).toEqual(['event']);
    expect(fields(deliveryQuery, { status: 'sent' })).toEqual(['status']);
  });
});
