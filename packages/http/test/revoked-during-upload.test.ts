import { describe, expect, test, vi } from 'vitest';
import { memoryMediaStore } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { startService } from './service.ts';

const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
  0, 0, 0,
]);

async function ready() {
  const media = memoryMediaStore();
  const storage = sqliteStorage({ path: ':memory:' });
  const service = await startService({ media, storage });
  const { id: workspaceId, call } = await service.newWorkspace();
  const instance = await service.connected(call);
  const { token, apiKey } = await service.trunkline.admin.apiKeys.create({
    workspaceId,
    name: 'uploads',
    scopes: ['messages:send'],
  });
  const part = (headers: string): string => `--XX\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`;
  const before = ['instance', 'to', 'type']
    .map((name, index) => `${part(`name="${name}"`)}${[instance, '15550100', 'image'][index]}\r\n`)
    .join('');
  const utf8 = new TextEncoder();

  /** Posts a body to /messages, and sends its last chunk only after `meanwhile` resolves. */
  const post = async (meanwhile: () => Promise<unknown>, chunks: readonly Uint8Array[], type: string) => {
    const left = [...chunks];
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const chunk = left.shift();
        if (left.length === 0) await meanwhile();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const response = await service.app.request('/api/v1/messages', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
      body,
      duplex: 'half',
    });
    const { error } = (await response.json()) as { error?: { code: string } }; // the specification defines the shape
    return [response.status, error?.code];
  };
  const form = (meanwhile: () => Promise<unknown>) =>
    post(
      meanwhile,
      [utf8.encode(before + part('name="file"; filename="a.png"')), PNG, utf8.encode('\r\n--XX--\r\n')],
      'multipart/form-data; boundary=XX',
    );
  const text = utf8.encode(JSON.stringify({ instance, to: '15550100', type: 'text', text: 'hi' }));
  const json = (meanwhile: () => Promise<unknown>) =>
    post(meanwhile, [text.subarray(0, 5), text.subarray(5)], 'application/json');
  const messages = async (): Promise<number> => (await call('GET', '/messages')).json.data?.length as never; // a list
  return { ...service, storage, workspaceId, keyId: apiKey.id, media, form, json, messages };
}

describe('a key that is no longer valid when the body has arrived', () => {
  test('is accepted if it stays valid', async () => {
    const { form, messages, media } = await ready();
    expect(await form(async () => {})).toEqual([202, undefined]);
    expect([await messages(), media.ids().length]).toEqual([1, 1]);
  });

  test.each<[string, number, string, (on: Awaited<ReturnType<typeof ready>>) => Promise<unknown>]>([
    [
      'was revoked',
      401,
      'INVALID_API_KEY',
      ({ trunkline, workspaceId, keyId }) => trunkline.admin.apiKeys.revoke(workspaceId, keyId),
    ],
    [
      // Without a fresh lookup, this process would use the cached key for five seconds.
      'was revoked by another process',
      401,
      'INVALID_API_KEY',
      ({ storage, clock, workspaceId, keyId }) => storage.apiKeys.revoke(workspaceId, keyId, clock.now()),
    ],
    [
      'belongs to a workspace that was suspended',
      403,
      'WORKSPACE_SUSPENDED',
      ({ trunkline, workspaceId }) => trunkline.admin.workspaces.suspend(workspaceId),
    ],
  ])('%s: no message, and no file', async (_, status, code, meanwhile) => {
    const on = await ready();
    expect(await on.form(() => meanwhile(on))).toEqual([status, code]);
    await on.trunkline.admin.workspaces.resume(on.workspaceId);
    expect([await on.messages(), on.media.ids()]).toEqual([0, []]);
  });

  test('was revoked while a JSON body came in slowly', async () => {
    const on = await ready();
    const now = vi.spyOn(performance, 'now');
    const slowly = async (): Promise<void> => {
      await on.trunkline.admin.apiKeys.revoke(on.workspaceId, on.keyId);
      now.mockReturnValue(performance.now() + 1_001);
    };
    expect(await on.json(slowly)).toEqual([401, 'INVALID_API_KEY']);
    now.mockRestore();
    expect(await on.messages()).toBe(0);
  });
});
