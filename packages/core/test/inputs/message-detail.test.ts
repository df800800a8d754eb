import { expect, it } from 'vitest';
import { kindText } from '../../src/spi/gateway.ts';
import { messageDetail } from '../../src/spi/http.ts';

it('the kind of a message is read with its payload', () => {
  const payload = { latitude: 41.4, longitude: 2.2, name: null, address: null };
  expect(messageDetail.parse({ kind: 'location', payload })).toMatchObject({
    kind: 'location',
    payload: { latitude: 41.4, longitude: 2.2 },
  });
  expect(messageDetail.parse({ kind: 'text', payload: null })).toEqual({ kind: 'text', payload: null });
});

it.each([
  [{ kind: 'location', payload: { latitude: 91, longitude: 0 } }, /^The payload of the kind location: /],
  [{ kind: 'text', payload: {} }, /^The payload of the kind text: /],
])('the payload %j is not of its kind', (input, message) => {
  const { error } = messageDetail.safeParse(input);
  expect(error?.issues[0]?.message).toMatch(message);
});

it('the text of a reply is its title, or its id if it has none', () => {
  const reply = { id: 'yes', title: '' };
  expect(kindText({ kind: 'button_reply', payload: reply })).toBe('yes');
  expect(kindText({ kind: 'list_reply', payload: { ...reply, description: null } })).toBe('yes');
  expect(kindText({ kind: 'button_reply', payload: { ...reply, title: 'Yes' } })).toBe('Yes');
});
