import type { PasskeyAnswer, PasskeyRequestOptions } from '@trunkline/core/spi/gateway';
import { silentLogger } from '@trunkline/core';
import { systemClock } from '@trunkline/core/node';
import { createPasskey } from '@trunkline/fake-whatsapp';
import type { SoftwarePasskey } from '@trunkline/fake-whatsapp';
import type { TestLink } from '@trunkline/gateway-contract';
import { elapsing, eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { must, startFlow, untilNotified, untilStatus } from './support/flow.ts';
import type { Flow } from './support/flow.ts';
import { acceleratingClock, leapingClock, unlinked } from './support/linked.ts';

type Unlinked = Awaited<ReturnType<typeof unlinked>>;
type Rule = Parameters<Unlinked['network']['wa']['requirePasskey']>[2];

interface Asked {
  readonly link: TestLink;
  readonly passkey: SoftwarePasskey;
  readonly wa: Unlinked['network']['wa'];
  readonly account: Unlinked['network']['account'];
  options(): PasskeyRequestOptions;
  answer(answer: PasskeyAnswer): Promise<void>;
}

/** A linking in which WhatsApp waits for the passkey. */
async function asked(rule: Rule = {}, options: Parameters<typeof unlinked>[0] = {}): Promise<Asked> {
  const { network, open } = await unlinked(options);
  const { wa, account } = network;
  const passkey = createPasskey();
  wa.requirePasskey(account, passkey, rule);
  const link = await open();
  wa.scanQr(account, (await link.first('qr')).code);
  await link.first('passkey');
  return {
    link,
    passkey,
    wa,
    account,
    options() {
      const { step } = link.all('passkey').at(-1) ?? {};
      if (step?.kind !== 'assertion') throw new Error(`The step is ${step?.kind}.`);
      return step.options;
    },
    async answer(answer) {
      await link.connection().answerPasskey?.(answer);
    },
  };
}

const assertion = (credential: ReturnType<SoftwarePasskey['sign']>): PasskeyAnswer => ({
  kind: 'assertion',
  credential,
});

describe('an account that links devices only with its passkey', () => {
  it.each(isLongForm ? ['QR', 'code'] : ['QR'])(
    'is linked after a %s by the answer of a browser, takes each step once, and logs nothing of the answer',
    async (by) => {
      const lines: unknown[] = [];
      const log = (...line: unknown[]): void => void lines.push(line);
      const flow = await startFlow({
        logger: { ...silentLogger, debug: log, info: log, warn: log, error: log },
        optInEvents: ['instance.passkey_required'],
      });
      const { wa, account, instance } = flow;
      const passkey = createPasskey();
      wa.requirePasskey(account, passkey, { repeatsKey: true });
      const { client } = flow.service();
      must(
        await client.instances.connect(
          instance,
          by === 'QR' ? {} : { pairing_phone_number: account.phoneNumber },
        ),
      );
      await untilStatus(flow, 'qr_required');
      const { code, pairing_code } = must(await client.instances.qr(instance));
      if (by === 'QR') wa.scanQr(account, code);
      else await wa.enterCode(account, pairing_code ?? '');
      const { data } = await untilNotified(flow, 'instance.passkey_required');
      expect(data).toMatchObject({ instance: { status: 'qr_required', last_error: 'passkey_required' } });

      const { step, page, request_options } = must(await client.instances.passkey(instance));
      expect({ step, page }).toEqual({ step: 'assertion', page: 'https://web.whatsapp.com/' });
      const credential = passkey.sign(request_options ?? { challenge: '', rpId: '' });
      must(await client.instances.answerPasskey(instance, credential));
      await untilStatus(flow, 'connected');
      expect(must(await client.instances.get(instance))).toMatchObject({
        last_error: null,
        phone_number: account.phoneNumber,
      });
      expect(acknowledged(flow)).toEqual(
        expect.arrayContaining(['passkey_prologue_request', 'crsc_continuation']),
      );
      expect(stepsSent(flow)).toEqual(['passkey_prologue', 'companion_nonce', 'encrypted_pairing_request']);
      const logged = JSON.stringify(lines);
      for (const secret of [request_options?.challenge, credential.response.signature]) {
        expect(logged).not.toContain(secret);
      }
    },
  );

  it.runIf(isLongForm)('is asked again with a new request after each refusal', async () => {
    const { passkey, options, answer, link } = await asked();
    const other = createPasskey();
    const first = options();
    const wrong = {
      challenge: () => passkey.sign(options(), { challenge: Buffer.from('other').toString('base64url') }),
      origin: () => passkey.sign(options(), { origin: 'https://whatsapp.example' }),
      domain: () => passkey.sign({ ...options(), rpId: 'whatsapp.example' }),
      verification: () => passkey.sign(options(), { isVerified: false }),
      credential: () => other.sign(options()),
      signature: () => ({ ...passkey.sign(options()), response: { ...passkey.sign(options()).response, signature: other.sign(options()).response.signature } }), // prettier-ignore
    };
    const challenges = new Set([first.challenge]);
    for (const [flaw, sign] of Object.entries(wrong)) {
      const refused = answer(assertion(sign()));
      await expect(refused).rejects.toThrow('WhatsApp refused the passkey (401)');
      await expect(refused).rejects.toMatchObject({ cause: { message: flaw } });
      challenges.add(options().challenge);
    }
    expect(challenges.size).toBe(1 + Object.keys(wrong).length);
    await expect(answer(assertion(passkey.sign(first)))).rejects.toMatchObject({
      cause: { message: 'challenge' },
    });
    const last = assertion(passkey.sign(options()));
    await answer(last);
    await expect(answer(last)).rejects.toThrow('does not wait');
    await link.first('connected');
  });

  it.runIf(isLongForm)('has a person compare a code if the answer comes late', async () => {
    let aheadMs = 0;
    const machine = systemClock();
    const clock = { ...machine, elapsed: () => machine.elapsed() + aheadMs };
    const { passkey, options, answer, link, wa, account } = await asked({ handoffMs: 0 }, { clock });
    aheadMs = 301_000;
    await answer(assertion(passkey.sign(options())));
    const { step } = await link.first('passkey', (report) => report.step.kind === 'confirmation');
    expect(step).toEqual({ kind: 'confirmation', code: wa.passkeyCode(account) });
    expect(step).toMatchObject({
      code: expect.stringMatching(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/),
    });
    expect(link.all('connected')).toEqual([]);
    await answer({ kind: 'confirmation' });
    await link.first('connected');
  });

  it.runIf(isLongForm)('stays linkable after the last QR has expired', async () => {
    const { clock, accelerate } = acceleratingClock();
    const { passkey, options, answer, link } = await asked({}, { clock });
    const shown = link.all('qr').length;
    const since = clock.now();
    accelerate(300);
    await eventually(() => expect(clock.now()).toBeGreaterThan(since + 200_000));
    accelerate(1);
    expect(link.all('closed')).toEqual([]);
    expect(link.all('qr')).toHaveLength(shown);
    await answer(assertion(passkey.sign(options())));
    await link.first('connected');
  });

  it.runIf(isLongForm)('is asked for its passkey if WhatsApp sends the request without options', async () => {
    const { passkey, options, answer, link } = await asked({ withholdsOptions: true });
    await answer(assertion(passkey.sign(options())));
    await link.first('connected');
  });

  it('is not linked if nobody gives the passkey in time', async () => {
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, text: string) => void lines.push(text) };
    const { link } = await asked({ timeoutMs: elapsing(300) }, { logger });
    const { reason } = await link.first('closed');
    expect(reason).toEqual({ kind: 'failed', code: 'passkey_required' });
    expect(lines).toEqual([expect.stringMatching(/nobody gave in time: connect the instance again/)]);
  });

  it.runIf(isLongForm)(
    'is not linked if the phone does not finish, or WhatsApp does not let it',
    async () => {
      const lines: object[] = [];
      const logger = { ...silentLogger, warn: (facts: object) => void lines.push(facts) };
      const clock = leapingClock();
      const away = await asked({ phoneIsAway: true }, { clock, logger });
      clock.leap();
      await away.answer(assertion(away.passkey.sign(away.options())));
      expect((await away.link.first('closed')).reason).toEqual({
        kind: 'failed',
        code: 'passkey_unfinished',
      });

      const refused = await asked({}, { logger });
      refused.wa.refuseQueries('md/set/encrypted_pairing_request', 403);
      await refused.answer(assertion(refused.passkey.sign(refused.options())));
      expect((await refused.link.first('closed')).reason).toEqual({
        kind: 'failed',
        code: 'passkey_unfinished',
      });
      expect(lines).toEqual([
        expect.objectContaining({ reason: 'timeout' }),
        expect.objectContaining({ reason: 'refused' }),
      ]);
    },
  );

  it.runIf(isLongForm)(
    'can be answered again if WhatsApp does not respond, and ends with its connection',
    async () => {
      const { passkey, options, answer, link, wa, account } = await asked(
        {},
        { gateway: { socket: { defaultQueryTimeoutMs: elapsing(300) } } },
      );
      wa.refuseQueries('md/set/passkey_prologue', 500);
      wa.refuseQueries('md/get/passkey_request_options', 404);
      await expect(answer(assertion(passkey.sign(options())))).rejects.toThrow('refused the passkey (500)');
      wa.muteQueries('md/set/passkey_prologue');
      await expect(answer(assertion(passkey.sign(options())))).rejects.toThrow('did not respond in time');
      const pending = answer(assertion(passkey.sign(options())));
      wa.dropLinking(account);
      await expect(pending).rejects.toThrow('scan the next QR');
      expect((await link.first('closed')).reason).toMatchObject({ kind: 'dropped' });
    },
  );
});

/** The steps of the ceremony that the client has sent. */
function stepsSent({ wa }: Flow): readonly string[] {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.attrs['xmlns'] === 'md')
    .flatMap(({ node }) => (Array.isArray(node.content) ? node.content.map(({ tag }) => tag) : []))
    .filter((tag) => /^(passkey_prologue|companion_nonce|encrypted_pairing_request)$/.test(tag));
}

/** The types of the notifications that the client has acknowledged. */
function acknowledged({ wa }: Flow): readonly (string | undefined)[] {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.tag === 'ack')
    .map(({ node }) => node.attrs['type']);
}

it.runIf(isLongForm)('shows a new QR after a restart while WhatsApp waits for a passkey', async () => {
  const flow = await startFlow();
  const { wa, account, instance } = flow;
  const passkey = createPasskey();
  wa.requirePasskey(account, passkey);
  const scan = async (): Promise<PasskeyRequestOptions> => {
    const qr = await eventually(async () => must(await flow.service().client.instances.qr(instance)));
    wa.scanQr(account, qr.code);
    const step = await eventually(async () => must(await flow.service().client.instances.passkey(instance)));
    return step.request_options ?? { challenge: '', rpId: '' };
  };
  must(await flow.service().client.instances.connect(instance));
  const first = await scan();
  await flow.restart();
  await eventually(async () => must(await flow.service().client.instances.qr(instance)));
  expect(await flow.service().client.instances.answerPasskey(instance, passkey.sign(first))).toMatchObject({
    ok: false,
    error: { code: 'PASSKEY_NOT_AVAILABLE' },
  });
  must(await flow.service().client.instances.answerPasskey(instance, passkey.sign(await scan())));
  await untilStatus(flow, 'connected');
});
