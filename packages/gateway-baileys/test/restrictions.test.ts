import { silentLogger } from '@trunkline/core';
import { openLink } from '@trunkline/gateway-contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { must, startLinkedFlow, untilStatus } from './support/flow.ts';
import { leapingClock, linked, nextProcess } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

const HOUR = 3_600_000;
const NOTIFIED = { isNotified: true };
/** In milliseconds, rounded down to a second, because the network counts in seconds. */
const inHours = (hours: number): number => Math.floor((Date.now() + hours * HOUR) / 1000) * 1000;

/** Waits until the last report says that no restriction is in force. The first report of a connection may say it, too. */
async function hasEnded(link: Linked['link']): Promise<void> {
  await eventually(() => expect(link.all('restricted').at(-1)?.restriction).toBeNull());
}

const inForce = ({ restriction }: { restriction: unknown }): boolean => restriction !== null;

describe('what the network forbids a number', () => {
  it('is asked for when the number connects, since the network may not have notified anybody', async () => {
    const { network, link, open } = await linked();
    const { wa, account } = network;
    await link.connection().close();
    const until = inHours(6);
    wa.lockNewChats(account, until);
    const again = await open();
    expect((await again.first('restricted', inForce)).restriction).toEqual({
      code: 'cannot_start_chats',
      until,
    });
    await again.connection().close();

    wa.lockNewChats(account, null);
    wa.capNewChats(account, until);
    const capped = await open();
    const isCap = ({ restriction }: { restriction: { code: string } | null }): boolean =>
      restriction?.code === 'sending_capped';
    expect((await capped.first('restricted', isCap)).restriction).toMatchObject({ until });
  });

  it('is reported when it begins and when it ends', async () => {
    const { network, link } = await linked();
    const { wa, account } = network;
    const until = inHours(6);
    wa.lockNewChats(account, until, NOTIFIED);
    expect((await link.first('restricted', inForce)).restriction).toEqual({
      code: 'cannot_start_chats',
      until,
    });
    wa.lockNewChats(account, null, NOTIFIED);
    await hasEnded(link);
  });

  it('is not reported as ended by a new process that got no answer about it', async () => {
    const { network, session, link } = await linked();
    const { wa, account } = network;
    const until = inHours(20);
    wa.capNewChats(account, until, NOTIFIED);
    await link.first('restricted', inForce);
    await link.connection().close();

    const clock = leapingClock();
    clock.leap();
    // The query for the cap is the first of the two.
    wa.refuseQueries('w:mex/get/query', 500);
    const again = await openLink(nextProcess(network, { clock }), session);
    onTestFinished(() => again.connection().close());
    expect((await again.first('restricted')).restriction).toEqual({ code: 'sending_capped', until });
  });

  it.runIf(isLongForm)('is reported where a number has begun as many chats as it may', async () => {
    const { network, link } = await linked();
    const { wa, account } = network;
    const until = inHours(20);
    wa.capNewChats(account, until, NOTIFIED);
    expect((await link.first('restricted', inForce)).restriction).toEqual({ code: 'sending_capped', until });
    wa.capNewChats(account, null, NOTIFIED);
    await hasEnded(link);
  });

  it.runIf(isLongForm)('goes on with one restriction where another ends', async () => {
    const { network, link } = await linked();
    const { wa, account } = network;
    const until = inHours(20);
    wa.capNewChats(account, until, NOTIFIED);
    await link.first('restricted', inForce);
    wa.lockNewChats(account, inHours(1), NOTIFIED);
    wa.lockNewChats(account, null, NOTIFIED);
    wa.capNewChats(account, null, NOTIFIED);
    await hasEnded(link);
    const last = link.all('restricted').map(({ restriction }) => restriction);
    expect(last.at(-2)).toEqual({ code: 'sending_capped', until });
  });

  it.runIf(isLongForm)('is reported by the next connection where it could not be stored', async () => {
    const { network, link, open } = await linked();
    const failing = await (async () => {
      await link.connection().close();
      return open({
        taking: async ({ kind }) => {
          if (kind === 'restricted') throw new Error('the disk is full');
        },
      });
    })();
    await failing.first('connected');
    const until = inHours(6);
    network.wa.lockNewChats(network.account, until, NOTIFIED);
    await failing.first('closed');
    const next = await open();
    expect((await next.first('restricted', inForce)).restriction).toEqual({
      code: 'cannot_start_chats',
      until,
    });
  });

  it('is known to be over in time where the network refuses every connection until then', async () => {
    const { network, link, open } = await linked();
    await link.connection().close();
    network.wa.refuseLogin(network.account, 402, { expire: 3_600 });
    const before = Date.now();
    const { reason } = await (await open()).first('closed');
    expect(reason).toMatchObject({ kind: 'failed', code: 'account_temporarily_banned' });
    const until = reason.kind === 'failed' ? (reason.until ?? 0) : 0;
    expect(until).toBeGreaterThanOrEqual(before + HOUR);
    expect(until).toBeLessThanOrEqual(Date.now() + HOUR);
  });
});

it.runIf(isLongForm)('what WhatsApp forbids a number is shown over the REST API, until it ends', async () => {
  const { wa, account, instance, service } = await startLinkedFlow();
  const shown = async () => must(await service().client.instances.get(instance)).restriction;
  const until = inHours(6);
  wa.lockNewChats(account, until, NOTIFIED);
  await eventually(async () =>
    expect(await shown()).toEqual({
      code: 'cannot_start_chats',
      until: new Date(until).toISOString().replace('Z', '+00:00'),
    }),
  );
  wa.lockNewChats(account, null, NOTIFIED);
  await eventually(async () => expect(await shown()).toBeNull());
});

it.runIf(isLongForm)('an instance that WhatsApp bans for some seconds comes back by itself', async () => {
  const flow = await startLinkedFlow({ logger: silentLogger });
  const { wa, account } = flow;
  wa.refuseLogin(account, 402, { expire: 2 });
  wa.drop(account);
  await untilStatus(flow, 'error');
  const banned = must(await flow.service().client.instances.get(flow.instance));
  expect(banned).toMatchObject({
    last_error: 'account_temporarily_banned',
    restriction: { code: 'account_temporarily_banned', until: expect.any(String) },
  });
  wa.allowLogin(account);
  await untilStatus(flow, 'connected');
  const back = must(await flow.service().client.instances.get(flow.instance));
  expect(back).toMatchObject({ last_error: null, restriction: null });
});
