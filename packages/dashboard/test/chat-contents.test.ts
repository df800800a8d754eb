import type { ChatResource, MessageResource } from '@trunkline/core';
import type { WebhookContact, WebhookEvent } from '@trunkline/receiver';
import { describe, expect, it } from 'vitest';
import { callsIn, reactionsIn } from '../app/src/pages/chats/activity.ts';
import { linksIn } from '../app/src/pages/chats/links-in.ts';
import { unreadIn, unreadOf } from '../app/src/pages/chats/unread.ts';

const ANA: WebhookContact = {
  id: 'con_ana',
  name: 'Ana',
  phone_number: '15550199',
  dialled_numbers: [],
  username: null,
};
const BO: WebhookContact = { ...ANA, id: 'con_bo', name: 'Bo', phone_number: '15550188' };

describe('links in a text', () => {
  const hrefs = (text: string): readonly (string | null)[] =>
    linksIn(text).flatMap(({ href }) => (href === null ? [] : [href]));

  it.each([
    ['see https://a.example.', ['https://a.example/']],
    ['(https://a.example/x_(y))', ['https://a.example/x_(y)']],
    ['HTTP://A.example, https://b.example/?q=1!', ['http://a.example/', 'https://b.example/?q=1']],
    ['https://a.example/<img src=x>"', ['https://a.example/']],
    ['https://a.example/\u202egnp.exe', ['https://a.example/']],
    ['https://аррӏе.example', ['https://xn--80ak6aa92e.example/']],
    ['javascript:alert(1) data:text/html,x ftp://a.example //a.example a.example', []],
    ['https:// https://? http://[', []],
  ])('are addresses of the web only: %j', (text, expected) => {
    expect(hrefs(text)).toEqual(expected);
  });

  it('leave the text as it is', () => {
    const text = 'a https://a.example, b\nhttps://b.example/(c) d';
    expect(
      linksIn(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  });
});

describe('unread messages', () => {
  const message = (given: Partial<MessageResource>): MessageResource =>
    ({
      direction: 'inbound',
      from: '15550199',
      to: null,
      group_id: null,
      contact: null,
      read_at: null,
      deleted_at: null,
      ...given,
    }) as MessageResource; // the rest is not read
  const chat = (given: Partial<ChatResource> = {}): ChatResource =>
    ({
      group_id: null,
      contact: ANA,
      phone_number: '15550199',
      last_message: { direction: 'inbound' },
      ...given,
    }) as ChatResource; // the rest is not read

  it('are counted back to the last answer, read mark, or end, in each chat', () => {
    const counts = unreadIn([
      message({ contact: ANA }),
      message({ contact: BO, from: '15550188' }),
      message({ deleted_at: '2026-11-30T10:00:00Z' }),
      message({ group_id: 'grp_1' }),
      message({}),
      message({ group_id: 'grp_1', read_at: '2026-11-30T10:00:00Z' }),
      message({ group_id: 'grp_1' }),
      message({ direction: 'outbound', to: '15550199' }),
      message({}),
    ]);
    expect(unreadOf(chat(), counts)).toBe(2);
    expect(unreadOf(chat({ contact: BO, phone_number: '15550188' }), counts)).toBe(1);
    expect(unreadOf(chat({ group_id: 'grp_1', contact: null, phone_number: null }), counts)).toBe(1);
    expect(unreadOf(chat({ contact: null, phone_number: '15550100' }), counts)).toBe(0);
  });

  it('are none in a chat whose newest message is an answer', () => {
    const last_message = { direction: 'outbound' } as ChatResource['last_message']; // the rest is not read
    expect(unreadOf(chat({ last_message }), unreadIn([message({})]))).toBe(0);
  });
});

describe('the activity of a number', () => {
  const reaction = (contact: WebhookContact | null, emoji: string | null): WebhookEvent =>
    ({
      type: 'message.reaction',
      data: { message: { id: 'msg_1' }, reaction: { contact, own: contact === null, emoji } },
    }) as WebhookEvent; // the rest is not read

  it('has the newest reaction of each person, and none that was taken back', () => {
    const found = reactionsIn([
      reaction(ANA, '👍'),
      reaction(BO, null),
      reaction(ANA, '😂'),
      reaction(BO, '🙏'),
      reaction(null, '👍'),
    ]);
    expect([...found]).toEqual([['msg_1', [{ emoji: '👍', by: [null, ANA] }]]]);
  });

  it('has the calls of a chat, by any id or number of its person', () => {
    const call = (id: string, contact: WebhookContact, group_id: string | null = null): WebhookEvent =>
      ({
        id,
        type: 'call.received',
        created_at: '2026-11-30T10:00:00Z',
        data: { call: { contact, group_id, video: false } },
      }) as WebhookEvent; // the rest is not read
    const events = [call('1', ANA), call('2', BO), call('3', ANA, 'grp_1')];
    const ids = (counterpart: string, people: readonly string[] = []): readonly string[] =>
      callsIn(events, { counterpart, people: new Set(people) }).map(({ id }) => id);
    expect(ids('15550199')).toEqual(['1']);
    expect(ids('con_other', ['15550199'])).toEqual(['1']);
    expect(ids('con_bo')).toEqual(['2']);
    expect(ids('grp_1')).toEqual(['3']);
  });
});
