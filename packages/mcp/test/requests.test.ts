import { describe, expect, it } from 'vitest';
import { UnavailableError } from '@trunkline/core/spi/storage';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { createMcp } from '../src/index.ts';
import type { McpOptions } from '../src/index.ts';
import { startService } from './harness.ts';

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

describe('a request', () => {
  it('needs a key that is valid, and the right path and method', async () => {
    const service = await startService();
    const { post } = service.mcp();
    const status = async (init: Parameters<typeof post>[0]): Promise<number> => (await post(init)).status;

    expect(await status({ body: PING })).toBe(200);
    expect(await status({ body: PING, headers: { Authorization: 'Bearer trk_wrong' } })).toBe(401);
    expect(await status({ body: PING, headers: { Authorization: '' } })).toBe(401);
    expect(await status({ body: PING, url: 'http://127.0.0.1:8080/mcp/other' })).toBe(404);
    expect(await status({ method: 'GET' })).toBe(405);
    expect(await status({ method: 'DELETE' })).toBe(405);
    expect(await status({ body: PING, headers: { 'X-Workspace-Id': 'ten_other' } })).toBe(403);
    await service.trunkline.admin.workspaces.suspend(service.workspaceId);
    expect(await status({ body: PING })).toBe(403);
  });

  it('has a response with the id of the request, for no cache', async () => {
    const service = await startService();
    const { post } = service.mcp();
    for (const init of [{ body: PING }, { body: PING, headers: { Authorization: '' } }, { method: 'GET' }]) {
      const { headers } = await post({ ...init, headers: { 'X-Request-Id': 'mine', ...init.headers } });
      expect(headers.get('X-Request-Id')).toBe('mine');
      expect(headers.get('Cache-Control')).toMatch(/no-store|no-cache/);
    }
  });

  it('is told to repeat a call while the database is unavailable, and the log warns', async () => {
    const storage = sqliteStorage({ path: ':memory:' });
    const service = await startService({ storage });
    const model = await service.mcp().client();
    storage.instances.list = () => Promise.reject(new UnavailableError('The database hunter2 is locked.'));
    const shown = await model.refused('list_instances');
    expect(shown).toMatch(/^INTERNAL_ERROR: .* cannot reach its database .* Retry later\.$/);
    expect(service.lines.at(-1)).toMatchObject({
      level: 'warn',
      facts: { request: { tool: 'list_instances', outcome: 'INTERNAL_ERROR' }, err: { isUnavailable: true } },
      message: expect.stringMatching(/^requests get 503/),
    });
  });

  it('is refused if a page in a browser made it, unless its host is allowed', async () => {
    const service = await startService();
    const fromPage = { body: PING, headers: { Origin: 'https://evil.example', Host: '127.0.0.1:8080' } };
    expect((await service.mcp().post(fromPage)).status).toBe(403);
    expect((await service.mcp({ allowedOrigins: ['app.example'] }).post(fromPage)).status).toBe(403);
    expect((await service.mcp({ allowedOrigins: ['evil.example'] }).post(fromPage)).status).toBe(200);
  });

  it('is refused under a host name that is not allowed (DNS rebinding)', async () => {
    const service = await startService();
    const { post } = service.mcp({ allowedHosts: ['localhost', '127.0.0.1'] });
    expect((await post({ body: PING, headers: { Host: 'localhost:8080' } })).status).toBe(200);
    expect((await post({ body: PING, headers: { Host: 'rebound.example:8080' } })).status).toBe(403);
    expect((await post({ body: PING })).status).toBe(403);
  });

  it.each([
    ['a batch', `[${PING},${PING}]`, 400],
    ['no JSON', '{"jsonrpc"', 400],
    ['too much', JSON.stringify('a'.repeat(131_072)), 413],
  ])('is refused in the shape of JSON-RPC if it is %s', async (_, body, status) => {
    const response = await (await startService()).mcp().post({ body });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: expect.stringContaining('batches are not supported') },
    });
  });

  it.each(['*/*', '', 'text/html, */*;q=0.1'])('may accept anything: %j', async (accept) => {
    const { post } = (await startService()).mcp();
    expect((await post({ body: PING, headers: { Accept: accept } })).status).toBe(200);
  });

  it('is one object of JSON of at most 128 KiB', async () => {
    const service = await startService();
    const { post } = service.mcp();
    const status = async (body: string): Promise<number> => (await post({ body })).status;

    expect(await status(`[${PING},${PING}]`)).toBe(400);
    expect(await status('{"jsonrpc"')).toBe(400);
    expect(await status('{}')).toBe(400);
    expect(
      await status(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'ping',
          params: { _meta: { x: 'x'.repeat(131_072) } },
        }),
      ),
    ).toBe(413);
    expect((await post({ body: PING, headers: { 'Content-Type': 'text/plain' } })).status).toBe(400);
  });

  it('counts towards the limit of its key', async () => {
    const service = await startService();
    const { post } = service.mcp({ rateLimit: { requestsPerMinute: 2 } });
    const first = await post({ body: PING });
    expect(first.headers.get('X-RateLimit-Remaining')).toBe('1');
    await post({ body: PING });
    const refused = await post({ body: PING });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  it('opens no stream that outlives the request', async () => {
    const service = await startService();
    const { client } = await service.mcp().client();
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/[Ll]imit/);
  });
});

describe('createMcp', () => {
  it('names an option that is wrong', async () => {
    const { trunkline } = await startService();
    const wrong: readonly [object, string][] = [
      [{ sendng: {} }, 'sending'],
      [{ path: 'mcp' }, '"path"'],
      [{ sending: { to: ['+49*0'] } }, '"+49*0" is not a phone number'],
      [{ sending: { to: ['*'] } }, '"*" is not a phone number'],
      [{ sending: { to: '15550123' } }, 'Must be a list'],
      [{ sending: { to: [], from: ['mine'] } }, 'ids of instances'],
      [{ sending: { to: [], keys: ['trk_1'] } }, 'ids of API keys'],
      [{ sending: { to: [], messagesPerDay: 0 } }, 'messagesPerDay'],
      [{ sending: { to: [], perDay: 1 } }, 'perDay'],
      [{ retries: 'yes' }, '"retries"'],
      [{ allowedHosts: ['http://a'] }, '"allowedHosts'],
      [{ guard: {} }, '"guard"'],
    ];
    for (const [options, complaint] of wrong)
      expect(() => createMcp(trunkline, options as McpOptions), complaint).toThrow(complaint);
  });

  it('needs a process that serves requests', async () => {
    const { trunkline } = await startService({ roles: { api: false } });
    expect(() => createMcp(trunkline)).toThrow('does not serve requests');
  });
});
