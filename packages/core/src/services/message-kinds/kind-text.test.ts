import type { MessageKindAndPayload } from '@trunkline/receiver';
import { expect, it } from 'vitest';
import { kindText } from './message-kinds.ts';

const place = { latitude: 40.41, longitude: -3.7, name: null, address: null };
const ann = { name: 'Ann', phone_numbers: ['+34 600 000 000'], vcard: 'BEGIN:VCARD' };
const order = { id: '1', item_count: null, total: null, currency: null };

const cases: readonly (readonly [MessageKindAndPayload, string])[] = [
  [
    { kind: 'location', payload: { ...place, name: 'Plaza Mayor', address: 'Madrid' } },
    'Location: Plaza Mayor, 40.41,-3.70',
  ],
  [{ kind: 'location', payload: { ...place, address: 'Madrid' } }, 'Location: Madrid, 40.41,-3.70'],
  [
    { kind: 'location', payload: { ...place, latitude: -1e-7, longitude: -46.6333081 } },
    'Location: 0.00,-46.633308',
  ],
  [{ kind: 'live_location', payload: place }, 'Live location: 40.41,-3.70'],
  [{ kind: 'contact', payload: { contacts: [ann] } }, 'Contact: Ann, +34 600 000 000'],
  [{ kind: 'contact', payload: { contacts: [ann, { ...ann, name: 'Bob' }] } }, 'Contacts: Ann, Bob'],
  [{ kind: 'button_reply', payload: { id: 'yes', title: 'Yes, please' } }, 'Yes, please'],
  [{ kind: 'list_reply', payload: { id: 'row', title: '', description: null } }, 'row'],
  [
    { kind: 'poll', payload: { question: 'Lunch?', options: ['yes', 'no'], multiple: false } },
    'Poll: Lunch? (yes, no)',
  ],
  [{ kind: 'order', payload: order }, 'Order'],
  [{ kind: 'order', payload: { ...order, item_count: 1 } }, 'Order: 1 item'],
  [
    { kind: 'order', payload: { ...order, item_count: 2, total: 12_500, currency: 'BRL' } },
    'Order: 2 items, 12.50 BRL',
  ],
  [
    {
      kind: 'event',
      payload: { name: 'Party', description: null, starts_at: '2026-11-22T18:00:00.000+00:00' },
    },
    'Event: Party, 2026-11-22T18:00:00.000+00:00',
  ],
  [{ kind: 'voice', payload: { seconds: 3 } }, ''],
];

it.each(cases)('says in words what a message of kind %o is', (detail, text) => {
  expect(kindText(detail)).toBe(text);
});
