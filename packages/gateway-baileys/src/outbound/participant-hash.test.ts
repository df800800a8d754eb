import { expect, it } from 'vitest';
import { participantHash } from './participant-hash.ts';

// The values are from a test of whatsapp-rust (`wacore/src/messages.rs`); the first and the last have a character that
// other alphabets of base64 replace.
it.each([
  [['5511999999999:3@s.whatsapp.net'], '2:5s+YxCff'],
  [['5511999999999@s.whatsapp.net'], '2:RJWVxcMQ'],
  [['7469250125917:21@s.whatsapp.net', '5511988887777:14@s.whatsapp.net'], '2:AAv/hwhn'],
])('the hash of the devices %j is %s', (devices, hash) => {
  expect(participantHash(devices)).toBe(hash);
});
