import { describe, expect, test } from 'vitest';
import { createLinkPage } from '../src/index.ts';
import { idOf, startService } from './service.ts';

const ADDRESS = 'https://service.example/link';
const VALID = { phone_number: '15550177', access_token: 'sandbox-sesame' };

async function asked() {
  const logs: unknown[] = [];
  const log = (...line: readonly unknown[]): void => void logs.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const service = await startService({ linkPage: `${ADDRESS}/`, logger });
  const { call } = await service.newWorkspace();
  const json = { network: 'sandbox_credentials', name: 'Desk <1>' };
  const id = idOf((await call('POST', '/instances', { json })).json);
  await service.during(call('POST', `/instances/${id}/connect`));
  const { json: qr } = await call('GET', `/instances/${id}/qr`);
  const address = JSON.stringify(qr.data?.code).slice(1, -1);
  const page = createLinkPage(service.trunkline);
  const read = async (method: string, fields?: Readonly<Record<string, string>>, to = address) => {
    const body = fields && new URLSearchParams(fields);
    const response = await page.fetch(new Request(to, { method, ...(body && { body }) }));
    return { response, status: response.status, text: (await response.text()).replaceAll(/\s+/g, ' ') };
  };
  return { service, call, id, address, read, logs };
}

describe('the page for credentials', () => {
  test('is a form without scripts, which nobody caches, frames or learns the address of', async () => {
    const { address, read } = await asked();
    expect(address.startsWith(`${ADDRESS}/`)).toBe(true);
    const { response, status, text } = await read('GET');
    expect(status).toBe(200);
    expect(text).toContain('Link Desk &lt;1&gt;');
    expect(text).toMatch(/name="phone_number" type="text" value="" autocomplete="off" required/);
    expect(text).toMatch(/name="access_token" type="password" value="" autocomplete="off" required/);
    expect(text).toMatch(/name="capabilities" type="text" value="" autocomplete="off" \/>/);
    expect(text).not.toContain('<script');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    });
  });

  test('links the number with what is entered, and then is gone', async () => {
    const { service, call, id, read } = await asked();
    const { status, text } = await read('POST', {
      ...VALID,
      access_token: ` ${VALID.access_token}\n`,
      capabilities: '',
    });
    expect([status, text]).toEqual([200, expect.stringContaining('has its credentials now')]);
    await service.clock.advance(1_000);
    expect((await call('GET', `/instances/${id}`)).json.data).toMatchObject({
      status: 'connected',
      phone_number: VALID.phone_number,
    });
    for (const method of ['GET', 'POST']) expect((await read(method)).status).toBe(409);
  });

  test('says what is wrong, shows only secrets again empty, and logs no value', async () => {
    const { read, logs, address } = await asked();
    const wrong = await read('POST', { ...VALID, access_token: 'sesame' });
    expect([wrong.status, wrong.text]).toEqual([
      422,
      expect.stringContaining('does not know this access_token'),
    ]);
    expect(wrong.text).toContain('value="15550177"');
    expect(wrong.text).not.toContain('sesame');
    expect((await read('POST', { phone_number: '15550177' })).text).toContain('Lacks access_token');
    const late = await read('POST', { ...VALID, access_token: 'sandbox-unreachable' });
    expect([late.status, late.text]).toEqual([502, expect.stringContaining('nothing was changed')]);
    expect(JSON.stringify(logs)).not.toContain('sesame');
    expect(JSON.stringify(logs)).not.toContain(address.slice(ADDRESS.length + 1));
  });

  test('refuses other methods, unknown tokens and large forms, without reading the form of a stranger', async () => {
    const { read } = await asked();
    expect((await read('DELETE')).status).toBe(405);
    const unknown = await read('GET', undefined, `${ADDRESS}/x`);
    expect([unknown.status, unknown.text]).toEqual([409, expect.stringContaining('no longer valid')]);
    expect((await read('POST', VALID, `${ADDRESS}/x`)).status).toBe(409);
    expect((await read('POST', { access_token: 'a'.repeat(1_048_577) })).status).toBe(413);
  });

  test('logs a failure without its address', async () => {
    const { service, read, logs, address } = await asked();
    await service.during(service.trunkline.stop());
    expect((await read('GET')).status).toBe(500);
    expect(JSON.stringify(logs)).toContain('a request failed');
    expect(JSON.stringify(logs)).not.toContain(address.slice(ADDRESS.length + 1));
  });
});
