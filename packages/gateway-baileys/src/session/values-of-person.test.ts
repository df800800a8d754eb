import { expect, test } from 'vitest';
import { keyName } from './key-name.ts';
import { isValueOfPerson } from './values-of-person.ts';

const ada = {
  numbers: new Set(['15550123456']),
  networkIds: new Set(['987654321098765@lid', '15550123456@s.whatsapp.net']),
  messageIds: new Set(['3EB0AAAAAAAAAAAA12']),
};

test.each([
  keyName('session', '15550123456.0'),
  keyName('session', '987654321098765_1.27'),
  keyName('sender-key', '120363000000000001@g.us::987654321098765_1::0'),
  keyName('device-list', '15550123456'),
  keyName('lid-mapping', '15550123456'),
  keyName('lid-mapping', '987654321098765_reverse'),
  keyName('tctoken', '987654321098765@lid'),
  keyName('chat-timer', '15550123456@s.whatsapp.net'),
  keyName('sent', '20780.3EB0AAAAAAAAAAAA12'),
  keyName('poll', '3EB0AAAAAAAAAAAA12/own'),
  keyName('poll', '3EB0BBBBBBBBBBBB12/987654321098765@lid'),
])('finds that %s is about a person', (name) => {
  expect(isValueOfPerson(name, ada)).toBe(true);
});

test.each([
  'credentials',
  keyName('session', '155501234567.0'),
  keyName('session', '5550123456.0'),
  keyName('device-list', '98765432109876'),
  keyName('sender-key', '120363000000000001@g.us::111111111111111_1::0'),
  keyName('sent', '20780.3EB0BBBBBBBBBBBB12'),
  keyName('sent', '15550123456.3EB0BBBBBBBBBBBB12'),
  keyName('poll', '15550123456/own'),
  keyName('pre-key', '15'),
])('leaves %s, which is about another person', (name) => {
  expect(isValueOfPerson(name, ada)).toBe(false);
});
