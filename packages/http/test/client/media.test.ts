import { describe, expect, it } from 'vitest';
import { SCOPES } from '@trunkline/core';
import { createClient } from '../../src/client/index.ts';
import type { ClientOptions, SendFileInput, TrunklineClient } from '../../src/client/index.ts';
import { client as rawClient } from '../client.ts';
import { startService } from '../service.ts';

const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
  0, 0, 0,
]);
type Fetch = NonNullable<ClientOptions['fetch']>;

async function ready(
  disturbed: (fetch: Fetch) => Fetch = (fetch) => fetch,
): Promise<{ readonly client: TrunklineClient; readonly image: SendFileInput }> {
  const service = await startService();
  const { admin } = service.trunkline;
  const { id: workspaceId } = await admin.workspaces.create({ name: 'Acme' });
  const { token } = await admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES });
  const instance = await service.connected(rawClient(service.app, token));
  const fetch = disturbed(async (url, init) => service.app.request(url, init));
  const client = createClient({ baseUrl: 'http://localhost/api/v1', apiKey: token, fetch });
  return { client, image: { instance, to: '15550100', type: 'image', file: new Blob([PNG]) } };
}

describe('a file', () => {
  it('is sent with its caption, and downloaded byte for byte', async () => {
    const { client, image } = await ready();
    const sent = await client.messages.send({ ...image, caption: 'Look', filename: '文 "1".png' });
    expect(sent).toMatchObject({
      ok: true,
      replayed: false,
      data: {
        type: 'image',
        caption: 'Look',
        media: { available: true, filename: '文 "1".png', mime_type: 'image/png' },
      },
    });
    const file = await client.messages.media(sent.ok ? sent.data.id : '');
    if (!file.ok) throw new Error(file.error.code);
    expect(file).toMatchObject({ mimeType: 'image/png', size: PNG.length, requestId: expect.any(String) });
    expect(await new Response(file.content).bytes()).toEqual(PNG);
  });

  it('keeps its name, or gets one from the service', async () => {
    const { client, image } = await ready();
    const named = await client.messages.send({ ...image, file: new File([PNG], 'me.png') });
    expect(named).toMatchObject({ data: { media: { filename: 'me.png' } } });
    const unnamed = await client.messages.send(image);
    expect(unnamed).toMatchObject({
      data: { media: { filename: expect.stringMatching(/^image-\w{6}\.png$/) } },
    });
  });

  it('goes out once, however often the request has to be made', async () => {
    let tries = 0;
    const { client, image } = await ready((fetch) => async (url, init) => {
      const response = await fetch(url, init);
      if (init?.method !== 'POST') return response;
      tries += 1;
      return tries === 1 ? new Response('busy', { status: 503 }) : response;
    });
    expect(await client.messages.send(image)).toMatchObject({ ok: true, replayed: true });
    expect(tries).toBe(2);
    expect(await client.messages.list()).toMatchObject({ data: [{ type: 'image' }] });
  });

  it('fails with the reason of the API', async () => {
    const { client, image } = await ready();
    expect(await client.messages.send({ ...image, type: 'audio' })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_MEDIA_TYPE', status: 415 },
    });
    const text = { instance: image.instance, to: '15550100', type: 'text', text: 'Hi' } as const;
    const sent = await client.messages.send(text);
    expect(await client.messages.media(sent.ok ? sent.data.id : '')).toMatchObject({
      ok: false,
      error: { code: 'MEDIA_NOT_AVAILABLE', status: 404 },
    });
  });

  it("is not confused with a proxy's page", async () => {
    const { client } = await ready(() => async () => new Response('<html>', { status: 200 }));
    expect(await client.messages.media('msg_1')).toMatchObject({
      error: { code: 'UNEXPECTED_RESPONSE', status: 200 },
    });
  });
});
