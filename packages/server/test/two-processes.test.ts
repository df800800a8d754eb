import { describe, expect, it } from 'vitest';
import { requestsAbout, startHarness, untilNotified } from './support/harness.ts';

describe('Two servers on one data directory', () => {
  it('serve the same API, send each webhook once, and one of them has the network', async () => {
    const { harness, server: first } = await startHarness();
    const second = await harness.startNow();
    expect(second.stdout()).toContain(
      'Another process on this data has the network Sandbox: this one does not connect it',
    );
    const scan = await second.client.request('POST', `/sandbox/instances/${harness.instance}/drop`);
    expect(scan).toMatchObject({ status: 503, body: { error: { code: 'GATEWAY_UNAVAILABLE' } } });

    const accepted = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? first : second).client.send({ instance: harness.instance }),
      ),
    );
    for (const { id } of accepted) await untilNotified(harness, second, id);
    for (const { id } of accepted) expect(requestsAbout(harness.receiver, id)).toHaveLength(3);
    expect(await first.stop()).toBe(0);
    expect(await second.stop()).toBe(0);
    expect(harness.acceptedByNetwork()).toHaveLength(20);
  });
});
