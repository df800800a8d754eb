import type { Activity } from '@trunkline/core/spi/gateway';
import { silentLogger } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { openLink } from '@trunkline/gateway-contract';
import type { TestLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { expect, it } from 'vitest';
import { linked, textOf } from './support/linked.ts';

type Vote = Extract<Activity, { kind: 'vote' }>;

async function vote(link: TestLink, holds: (vote: Vote) => boolean = () => true): Promise<Vote> {
  const isIt = (found: Activity): found is Vote => found.kind === 'vote' && holds(found as Vote); // narrowed by `kind`
  const report = await link.first('activity', ({ activity }) => isIt(activity));
  if (!isIt(report.activity)) throw new Error('The report is not a vote.');
  return report.activity;
}

const SECRET = new Uint8Array(32).fill(7);

function pollOf(...options: readonly string[]) {
  return {
    type: 'raw',
    message: {
      messageContextInfo: { messageSecret: SECRET },
      pollCreationMessageV3: {
        name: 'When?',
        options: options.map((optionName) => ({ optionName })),
        selectableOptionsCount: 1,
      },
    },
  } as const;
}

it('a vote in a poll of a group is opened, whoever asked and however they are named, also by a later process', async () => {
  const harness = await linked();
  const { network, link, session } = harness;
  const { wa, account, reader } = network;
  const ann = wa.person('5511955550005', { name: 'Ann' });
  const group = wa.group({ subject: 'Team', members: [reader, ann, account] });
  const id = await wa.inbound(ann, account, pollOf('Monday ', 'Tue\u0000sday'), { group });
  await link.first('message');
  const cast = (participant: string | null, option: string, at: number) => {
    const to = { remoteJid: group.jid, id, fromMe: false, participant };
    return { type: 'vote', to, secret: SECRET, options: [option], at } as const;
  };
  await wa.inbound(reader, account, cast(ann.jid, 'Monday ', 5_000), { group });
  // The answers are those of the reported poll, which has no white space around them and nothing that no database can store.
  const [monday, tuesday] = ((): readonly string[] => {
    const [received] = link.all('message');
    const { detail } = received?.message ?? {};
    return detail?.kind === 'poll' ? detail.payload.options : [];
  })();
  expect(await vote(link)).toMatchObject({
    about: id,
    author: ann.lidJid,
    groupNetworkId: group.jid,
    contact: { networkId: reader.lidJid },
    own: false,
    options: [monday],
    at: 5_000,
  });
  await wa.fromPhone(account, group, cast(ann.lidJid, 'Tue\u0000sday', 6_000));
  expect(await vote(link, ({ own }) => own)).toMatchObject({
    about: id,
    author: ann.lidJid,
    options: [tuesday],
  });
  await link.connection().close();

  await wa.inbound(
    ann,
    account,
    { ...cast(ann.lidJid, 'Monday ', 7_000), to: { id, fromMe: true } },
    { group },
  );
  const gateway = baileysGateway({ socket: { waWebSocketUrl: wa.client.waWebSocketUrl } });
  gateway.attach({ clock: systemClock(), random: systemRandom(), logger: silentLogger });
  const again = await openLink(gateway, session.copy());
  expect(await vote(again)).toMatchObject({
    about: id,
    author: ann.lidJid,
    contact: { networkId: ann.lidJid },
    options: [monday],
  });
  await again.connection().close();
});

it('a vote that cannot be opened is counted, and logged if its poll is known', async () => {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, warn: (...args: readonly unknown[]) => void logged.push(args) };
  const { network, link } = await linked({ logger });
  const { wa, account, reader, gateway } = network;
  const id = await wa.inbound(reader, account, pollOf('Monday', 'Tuesday'));
  const forged = new Uint8Array(32).fill(8);
  const from = (about: string, secret: Uint8Array, option: string) =>
    wa.inbound(reader, account, {
      type: 'vote',
      to: { remoteJid: account.lidJid, id: about, fromMe: true },
      secret,
      options: [option],
      at: 5_000,
    });
  await from('from before the link', SECRET, 'Monday');
  await from(id, forged, 'Monday');
  await from(id, SECRET, 'Sunday');
  await wa.inbound(reader, account, 'last');
  await link.first('message', ({ message }) => textOf(message) === 'last');
  await eventually(() => expect(gateway.skipped().get('pollUpdateMessage')).toBe(3));
  expect(link.all('activity')).toEqual([]);
  const explained = expect.stringContaining('could not be decrypted');
  expect(logged).toEqual([
    [expect.anything(), explained],
    [expect.anything(), explained],
  ]);
});
