import { CAPABILITIES } from '@trunkline/core/spi/gateway';
import { describe, expect, it } from 'vitest';
import type { GatewaySubject } from './contract-subject.ts';
import { FILES, WEBP } from './files.ts';
import { startFixture } from './fixture.ts';
import { lacks } from './optional.ts';
import { servedFixture } from './served-fixture.ts';
import { openLink } from './test-link.ts';

const NO_GROUP = 'grp_01k9z000000000000000000000';

/** Messages that need a capability of their own. */
const OF_KINDS = [
  ['locations', { kind: 'location', payload: { latitude: 40.4168, longitude: -3.7038 } }],
  [
    'contacts',
    { kind: 'contact', payload: { contacts: [{ name: 'Ann', phone_numbers: ['+34600000001'] }] } },
  ],
  ['polls', { kind: 'poll', payload: { question: 'Lunch?', options: ['yes', 'no'] } }],
  ['stickers', { kind: 'sticker', file: new Blob([WEBP.content]) }],
  ['mentions', { type: 'text', text: 'Ask @34600000001', mentions: ['34600000001'] }],
] as const;

/** Tests that a gateway declares its network's features, and that the service refuses undeclared features. */
export function capabilitiesContract(subject: GatewaySubject): void {
  describe('capabilities', () => {
    it('declares text, and all features that its network has', async () => {
      const { network } = await startFixture(subject);
      const carried = CAPABILITIES.filter((name) => name === 'text' || !lacks(subject, name));
      expect(network.gateway.capabilities.toSorted()).toEqual(carried.toSorted());
    });

    for (const { type, mimeType, content } of FILES.filter(({ type }) => lacks(subject, type))) {
      it(`is not given a file of type ${type}, which the service refuses`, async () => {
        const { api, instance, to, acceptedAfterText } = await servedFixture(subject);
        const file = new Blob([content], { type: mimeType });
        await expect(api.messages.send({ instance, to, type, file })).rejects.toMatchObject({
          code: 'UNSUPPORTED_MESSAGE_TYPE',
        });
        expect((await api.instances.get(instance)).capabilities).not.toContain(type);
        expect(await acceptedAfterText()).toMatchObject([{ file: null }]);
      });
    }

    for (const [capability, fields] of OF_KINDS.filter(([name]) => lacks(subject, name))) {
      it(`is not given a message that needs ${capability}, which the service refuses`, async () => {
        const { api, instance, to, acceptedAfterText } = await servedFixture(subject);
        await expect(api.messages.send({ instance, to, ...fields })).rejects.toMatchObject({
          code: 'UNSUPPORTED_MESSAGE_TYPE',
        });
        expect((await api.instances.get(instance)).capabilities).not.toContain(capability);
        expect(await acceptedAfterText()).toHaveLength(1);
      });
    }

    if (lacks(subject, 'groups')) {
      it('is not given a message to a group, which the service refuses', async () => {
        const { api, instance, acceptedAfterText } = await servedFixture(subject);
        const message = { instance, to: NO_GROUP, type: 'text', text: 'Anyone home?' } as const;
        await expect(api.messages.send(message)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
        expect((await api.instances.get(instance)).capabilities).not.toContain('groups');
        const accepted = await acceptedAfterText();
        expect(accepted).toHaveLength(1);
        // Otherwise, the service would list groups that cannot get messages.
        expect((await api.instances.groups(instance)).data).toEqual([]);
      });
    }

    if (lacks(subject, 'pairing_codes') && !subject.credentials) {
      it('shows only a QR to a phone that asked for a code', async () => {
        const { network, session, phone } = await startFixture(subject);
        const link = await openLink(network.gateway, session, { pairingNumber: phone.phoneNumber });
        const { code, pairingCode } = await link.first('qr');
        expect(pairingCode).toBeUndefined();
        await phone.scan(code);
        expect((await link.first('connected')).profile.phoneNumber).toBe(phone.phoneNumber);
        await link.connection().close();
      });
    }
  });
}
