import { randomBytes } from 'node:crypto';
import { downloadMediaMessage } from '@whiskeysockets/baileys';
import { afterEach, describe, expect, it } from 'vitest';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, linked } = useFakeWhatsApp();

const DOCUMENT = { type: 'document', mimeType: 'application/pdf' } as const;

afterEach(() => wa().setMediaHosts('up'));

async function received() {
  const shop = newAccount();
  const client = await linked(shop);
  const bytes = randomBytes(1000);
  const message = await client.message(await wa().inbound(newPerson(), shop, { ...DOCUMENT, bytes }));
  return { shop, client, bytes, message };
}

describe('the media hosts of the fake WhatsApp', () => {
  it('take no upload without a token that is still valid', async () => {
    const client = await linked(newAccount());
    const content = { document: randomBytes(100), mimetype: 'application/pdf' };
    await client.socket.sendMessage(newPerson().jid, content);
    wa().expireMediaTokens();
    const sent = client.socket.sendMessage(newPerson().jid, content);
    await expect(sent).rejects.toThrow('Media upload failed on all hosts');
    // After the refusal, the client has requested another token.
    await client.socket.sendMessage(newPerson().jid, content);
  });

  it('hand out no file whose address has expired, or was made up', async () => {
    const { message } = await received();
    wa().expireMedia();
    await expect(downloadMediaMessage(message, 'buffer', {})).rejects.toMatchObject({
      output: { statusCode: 403 },
    });
  });

  it('are named in their order, and have the same files', async () => {
    await wa().setMediaHosts('down', 'up');
    const client = await linked(newAccount());
    const { hosts } = await client.socket.refreshMediaConn(true);
    expect(hosts).toHaveLength(2);
    const document = randomBytes(100);
    await client.socket.sendMessage(newPerson().jid, { document, mimetype: 'application/pdf' });
    expect(wa().mediaRequests().at(-1)).toMatchObject({ host: 1, method: 'POST' });
  });

  it('hand out the rest of a file from a byte on', async () => {
    const { message } = await received();
    const [host] = (await (await linked(newAccount())).socket.refreshMediaConn(true)).hosts;
    const path = message.message?.documentMessage?.directPath ?? '';
    const get = (range: string): Promise<Response> =>
      fetch(`https://${host?.hostname ?? ''}${path}`, { headers: { Range: range } });
    const whole = Buffer.from(await (await get('bytes=0-')).arrayBuffer());
    const rest = await get('bytes=100-');
    expect([rest.status, rest.headers.get('content-range')]).toEqual([
      206,
      `bytes 100-${String(whole.length - 1)}/${String(whole.length)}`,
    ]);
    expect(Buffer.from(await rest.arrayBuffer()).equals(whole.subarray(100))).toBe(true);
    expect((await get(`bytes=${String(whole.length)}-`)).status).toBe(416);
  });
});

describe('the phone of an account of the fake WhatsApp', () => {
  it('uploads a file again that the hosts have lost', async () => {
    const { shop, client, bytes, message } = await received();
    wa().forgetMedia();
    wa().respondToMediaRetries(shop, 'upload');
    // Let the client learn the new host.
    await client.socket.refreshMediaConn();
    const updated = await client.socket.updateMediaMessage(message);
    expect(bytes.equals(await downloadMediaMessage(updated, 'buffer', {}))).toBe(true);
  });

  it.each([
    ['not_found', 'Media re-upload failed by device (NOT_FOUND)'],
    ['error', 'Failed to re-upload media (2)'],
  ] as const)('responds that it cannot: %s', async (how, said) => {
    const { shop, client, message } = await received();
    wa().respondToMediaRetries(shop, how);
    await expect(client.socket.updateMediaMessage(message)).rejects.toThrow(said);
  });
});
