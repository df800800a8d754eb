import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openSecretEnvelope } from './secret-envelope.ts';

const secret = randomBytes(32);
const iv = randomBytes(12);
const ANN = '105511955550005@lid';
const BOB = '105511988887777@lid';

function sealed(purpose: string, additional: string): Buffer {
  const info = `3A01${ANN}${BOB}${purpose}`;
  const key = Buffer.from(hkdfSync('sha256', secret, '', info, 32));
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(additional));
  return Buffer.concat([cipher.update('opened'), cipher.final(), cipher.getAuthTag()]);
}

const envelope = { secret, messageId: '3A01', iv } as const;
const people = {
  authors: ['5511955550005@s.whatsapp.net', ANN],
  senders: ['5511988887777@s.whatsapp.net', BOB],
};

it('an edit is opened whichever of their names the phones have used', () => {
  const payload = sealed('Message Edit', '');
  const opened = openSecretEnvelope({ ...envelope, purpose: 'Message Edit', payload }, people);
  expect(String(opened)).toBe('opened');
});

it('a vote is opened with what binds it to the poll and the voter', () => {
  const payload = sealed('Poll Vote', `3A01\0${BOB}`);
  expect(String(openSecretEnvelope({ ...envelope, purpose: 'Poll Vote', payload }, people))).toBe('opened');
  expect(openSecretEnvelope({ ...envelope, purpose: 'Message Edit', payload }, people)).toBeNull();
});

it.each([0, 15, 16, 40])('%d bytes of something else are not opened', (length) => {
  const payload = randomBytes(length);
  expect(openSecretEnvelope({ ...envelope, purpose: 'Message Edit', payload }, people)).toBeNull();
});
