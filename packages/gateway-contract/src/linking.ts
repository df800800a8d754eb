import type { GroupReport } from '@trunkline/core/spi/gateway';
import { describe, expect, it } from 'vitest';
import { closedFor } from './closed-for.ts';
import type { GatewaySubject } from './contract-subject.ts';
import { itWith } from './optional.ts';
import { openLink } from './test-link.ts';
import type { TestLink } from './test-link.ts';
import { INSTANCE, linkedFixture, startFixture } from './fixture.ts';
import type { Fixture } from './fixture.ts';

export function linkingContract(subject: GatewaySubject): void {
  describe('linking', () => {
    const byQr = subject.credentials ? it.skip : it;
    byQr('shows a QR that is good for a while, and connects once it is scanned', async () => {
      const { phone, session, open } = await startFixture(subject);
      const link = await open();
      const { code, expiresAt, pairingCode } = await link.first('qr');
      expect(code.length).toBeGreaterThan(10);
      expect(expiresAt).toBeGreaterThan(Date.now() + 10_000);
      expect(pairingCode).toBeUndefined();
      await phone.scan(code);
      expect((await link.first('connected')).profile).toMatchObject({ phoneNumber: phone.phoneNumber });
      expect(session.values.size).toBeGreaterThan(0);
    });

    if (subject.credentials) credentialsContract(subject, subject.credentials);

    itWith(subject, 'pairing_codes')(
      'shows a code to type as well, for a phone that asked for one',
      async () => {
        const { network, session, phone } = await startFixture(subject);
        const link = await openLink(network.gateway, session, { pairingNumber: phone.phoneNumber });
        const { pairingCode } = await link.first('qr');
        expect(pairingCode).toMatch(/^[0-9A-Z]{8}$/);
        await phone.enterCode(pairingCode ?? '');
        expect((await link.first('connected')).profile.phoneNumber).toBe(phone.phoneNumber);
        await link.connection().close();
      },
    );

    itWith(subject, 'passkeys')(
      'asks for the passkey of an account that requires it, and links the number with the answer',
      async () => {
        const { link, passkey, phone } = await askedForPasskey(subject);
        const { step, expiresAt } = await link.first('passkey');
        expect(expiresAt).toBeGreaterThan(Date.now() + 10_000);
        if (step.kind !== 'assertion') throw new Error(`The first step is ${step.kind}.`);
        const { hostname } = new URL(step.page);
        expect(`.${hostname}`.endsWith(`.${step.options.rpId}`)).toBe(true);
        await link.connection().answerPasskey?.({
          kind: 'assertion',
          credential: await passkey.sign(step.options),
        });
        expect(link.all('passkey').at(-1)?.step.kind).not.toBe('assertion');
        expect((await link.first('connected')).profile.phoneNumber).toBe(phone.phoneNumber);
      },
    );

    itWith(subject, 'passkeys')(
      'refuses the answer to another request or step, and links the number with the right one',
      async () => {
        const { link, passkey } = await askedForPasskey(subject);
        const answer = link.connection().answerPasskey?.bind(link.connection());
        const options = async () => {
          const { step } = link.all('passkey').at(-1) ?? (await link.first('passkey'));
          if (step.kind !== 'assertion') throw new Error(`The step is ${step.kind}.`);
          return step.options;
        };
        await expect(answer?.({ kind: 'confirmation' })).rejects.toThrow(/\S/);
        const other = await passkey.sign({ ...(await options()), challenge: 'b3RoZXI' });
        await expect(answer?.({ kind: 'assertion', credential: other })).rejects.toThrow(/\S/);
        expect(link.all('closed')).toEqual([]);
        await answer?.({ kind: 'assertion', credential: await passkey.sign(await options()) });
        await link.first('connected');
      },
    );

    it('connects without a QR on what an earlier connection stored', async () => {
      const { link, session, phone, open } = await linkedFixture(subject);
      await link.connection().close();
      const again = await open(session.copy());
      expect((await again.first('connected')).profile.phoneNumber).toBe(phone.phoneNumber);
      expect(again.all('qr')).toEqual([]);
    });

    itWith(subject, 'groups')(
      'reports the groups that the number is in, and each that is added',
      async () => {
        const { link, phone } = await linkedFixture(subject);
        const networkId = await phone.addGroup('Neighbours');
        const isIt = (group: { networkId: string }): boolean => group.networkId === networkId;
        const { groups } = await link.first('groups', (report) => report.groups.some(isIt));
        expect(groups.find(isIt)).toMatchObject({
          name: 'Neighbours',
          participantsCount: expect.any(Number),
        });
      },
    );

    itWith(subject, 'groups')(
      'reports all groups where it connects, and again without one that the number has left',
      async () => {
        const { link, phone, open } = await linkedFixture(subject);
        const [stays, left] = [await phone.addGroup('Neighbours'), await phone.addGroup('Choir')];
        const names = ({ groups }: { readonly groups: readonly GroupReport[] }): readonly string[] =>
          groups.map(({ networkId }) => networkId);
        await link.first('groups', (report) => names(report).includes(left));
        const from = link.reports.length;
        await phone.leaveGroup(left);
        const after = await link.first('groups', ({ full }) => full, from);
        expect(names(after)).toContain(stays);
        expect(names(after)).not.toContain(left);

        await link.connection().close();
        const again = await open();
        const all = await again.first('groups', ({ full }) => full);
        expect(names(all)).toContain(stays);
        expect(names(all)).not.toContain(left);
      },
    );

    it('makes message ids that do not repeat', async () => {
      const { network } = await startFixture(subject);
      const bytes = (first: number): Uint8Array => new Uint8Array(16).fill(first);
      const ids = [0, 1, 127, 255].map((first) => network.gateway.newMessageId(bytes(first)));
      expect(new Set(ids).size).toBe(4);
      expect(network.gateway.newMessageId(bytes(1))).toBe(ids[1]);
      for (const id of ids) expect(id).toMatch(/^[\w-]{8,64}$/);
    });

    byQr('unlinks a number whose connection is closed', async () => {
      const { network, link, session, open } = await linkedFixture(subject);
      await link.connection().close();
      await network.gateway.unlink(session);
      const again = await open(session.copy());
      expect(closedFor((await again.first('closed')).reason)).toEqual({ kind: 'unlinked' });
    });

    it('has nothing to unlink if nothing is linked', async () => {
      const { network, session } = await startFixture(subject);
      await network.gateway.unlink(session);
      expect(session.instanceId).toBe(INSTANCE);
    });
  });
}

/** A linking in which the network waits for a passkey. */
async function askedForPasskey(subject: GatewaySubject): Promise<
  Pick<Fixture, 'phone'> & {
    readonly link: TestLink;
    readonly passkey: NonNullable<Fixture['phone']['passkey']>;
  }
> {
  const { phone, open } = await startFixture(subject);
  const { passkey } = phone;
  if (!passkey) throw new Error('The subject has no account with a passkey, and "missing" does not say so.');
  const link = await open();
  await passkey.scan((await link.first('qr')).code);
  await link.first('passkey');
  return { link, passkey, phone };
}

function credentialsContract(
  subject: GatewaySubject,
  { valid, refused }: NonNullable<GatewaySubject['credentials']>,
): void {
  it('declares its credentials, and is linked only by them', async () => {
    const { network } = await startFixture(subject);
    const { linking, credentials = [] } = network.gateway;
    expect(linking).toEqual(['credentials']);
    const known = credentials.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(Object.keys(valid)));
    for (const { name, required, about } of credentials) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,31}$/);
      expect(about).toMatch(/^.{10,}\.$/);
      if (required) expect(valid).toHaveProperty(name);
    }
  });

  it('checks credentials: valid ones lead to their number, others are refused without their values', async () => {
    const { network, phone } = await startFixture(subject);
    const { checkCredentials } = network.gateway;
    expect(await checkCredentials?.(valid)).toMatchObject({
      kind: 'valid',
      profile: { phoneNumber: phone.phoneNumber },
    });
    const check = await checkCredentials?.(refused);
    if (check?.kind !== 'refused')
      throw new Error('The network accepts the credentials that it should refuse.');
    expect(check.message).toMatch(/^\S.{10,}/);
    for (const value of Object.values(refused)) expect(check.message).not.toContain(value);
  });

  it('connects with its credentials without a QR, to the number that they belong to', async () => {
    const { link, phone } = await linkedFixture(subject);
    expect((await link.first('connected')).profile.phoneNumber).toBe(phone.phoneNumber);
    expect(link.all('qr')).toEqual([]);
  });

  it('unlinks a number whose connection is closed, and one that was never connected', async () => {
    const { network, session, open } = await startFixture(subject);
    await network.gateway.unlink(session, { credentials: valid });
    const link = await open();
    await link.first('connected');
    await link.connection().close();
    await network.gateway.unlink(session, { credentials: valid });
    expect(link.all('closed')).toEqual([]);
  });
}
