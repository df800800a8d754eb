import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, signWebhook } from '@trunkline/receiver';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';

const MAIN = new URL('../src/main.ts', import.meta.url);
const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';

function start(env: Readonly<Record<string, string>>): Program {
  return startNodeProgram(MAIN, { env: { PATH: process.env['PATH'], ...env } });
}

describe('The receiver', () => {
  let receiver: Program;
  let url = '';

  beforeAll(async () => {
    receiver = start({ WEBHOOK_SECRET: secret, PORT: '0' });
    [, url = ''] = await receiver.printed(/Receiving at (\S+)/);
  });
  afterAll(async () => expect(await receiver.stop()).toBe(0));

  const event = (id: string, type: string, data: object) =>
    JSON.stringify({ id, type, created_at: '2026-11-20T21:00:00.000000Z', workspace_id: 'ten_1', data });
  async function post(body: string, signed = body): Promise<number> {
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = await signWebhook({ secret, timestamp, body: signed });
    const headers = { [TIMESTAMP_HEADER]: String(timestamp), [SIGNATURE_HEADER]: signature };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  it('prints a line for each event, once however often it arrives', async () => {
    const sent = event('evt_1', 'message.sent', { message: { id: 'msg_1', status: 'sent' } });
    expect([await post(sent), await post(sent)]).toEqual([204, 204]);
    expect(
      await post(event('evt_2', 'instance.connected', { instance: { id: 'ins_1', status: 'connected' } })),
    ).toBe(204);
    expect(await post(event('evt_3', 'webhook.test', { webhook: { id: 'wh_1' } }))).toBe(204);
    expect(await post(event('evt_4', 'moon.full', {}))).toBe(204);
    expect(receiver.output().split('\n').slice(1)).toEqual([
      'message.sent  evt_1  msg_1 sent',
      'instance.connected  evt_2  ins_1 connected',
      'webhook.test  evt_3  wh_1',
      'moon.full  evt_4  ',
      '',
    ]);
  });

  it('refuses requests that are unsigned, or not an event', async () => {
    const other = event('evt_9', 'message.sent', { message: { id: 'msg_9', status: 'sent' } });
    expect(await post(other, `${other} `)).toBe(401);
    expect((await fetch(url, { method: 'POST', body: other })).status).toBe(401);
    expect(await post('no event')).toBe(400);
    expect(await post('x'.repeat(1024 * 1024 + 1))).toBe(413);
    expect((await fetch(url)).status).toBe(405);
    expect(receiver.output()).not.toContain('evt_9');
  });

  it.for([
    [
      {},
      'receiver: WEBHOOK_SECRET must be the secret that POST /webhooks returned, as in WEBHOOK_SECRET=whsec_...\n',
    ],
    [{ WEBHOOK_SECRET: secret, PORT: 'http' }, 'receiver: PORT must be a whole number from 0 to 65535.\n'],
  ] as const)('does not start without a required setting: %j', async ([env, complaint]) => {
    const { ended, output } = start(env);
    expect({ code: await ended, output: output() }).toEqual({ code: 1, output: complaint });
  });
});
