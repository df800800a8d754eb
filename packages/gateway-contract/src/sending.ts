import { describe, expect, it } from 'vitest';
import type { GatewaySubject } from './contract-subject.ts';
import { FILES } from './files.ts';
import { fileContent, linkedFixture, outgoing } from './fixture.ts';
import { itWith } from './optional.ts';
import type { Report } from './test-link.ts';

export function sendingContract(subject: GatewaySubject): void {
  describe('sending', () => {
    it('reports that a text is accepted once the network has it', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const message = outgoing(network, { content: { type: 'text', text: 'Grüße 👋\nzwei Zeilen' } });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toEqual([
        { networkId: message.networkId, to: message.to, text: 'Grüße 👋\nzwei Zeilen', file: null },
      ]);
    });

    itWith(subject, 'receipts')('reports that a text was delivered, and that it was read', async () => {
      const { network, link } = await linkedFixture(subject);
      const message = outgoing(network);
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      await link.first('receipt', receiptOf(message, 'delivered'));
      await link.first('receipt', receiptOf(message, 'read'));
    });

    for (const { type, ...file } of FILES) {
      itWith(subject, type)(`sends a file of type ${type}`, async () => {
        const { network, link, phone } = await linkedFixture(subject);
        const content = fileContent(type, file);
        expect(await link.connection().send(outgoing(network, { content }))).toEqual({ kind: 'accepted' });
        expect(phone.accepted()).toMatchObject([
          {
            text: type === 'audio' ? '' : `a ${type}`,
            file: { type, mimeType: file.mimeType, size: file.content.length },
          },
        ]);
      });
    }

    itWith(subject, 'groups')('sends to a group', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const to = await phone.addGroup('Neighbours');
      await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === to));
      const message = outgoing(network, { to, isGroup: true });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toMatchObject([{ networkId: message.networkId, to, text: 'Hello' }]);
    });

    itWith(
      subject,
      'groups',
      'receipts',
    )('reports that a message to a group was read', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const to = await phone.addGroup('Neighbours');
      await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === to));
      const message = outgoing(network, { to, isGroup: true });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      await link.first('receipt', receiptOf(message, 'read'));
    });

    it('reports a refusal of the network', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      expect(await link.connection().send(outgoing(network, { to: network.people.refused }))).toEqual({
        kind: 'refused',
        error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) },
      });
      expect(phone.accepted()).toEqual([]);
    });

    it('gives messages that are sent at the same time their own outcomes', async (context) => {
      const { network, link, phone } = await linkedFixture(subject);
      if ((network.gateway.sendsAtOnce ?? 1) === 1) context.skip('the gateway sends one message at a time');
      const message = outgoing(network);
      const sends = [message, outgoing(network, { to: network.people.refused })].map((one) =>
        link.connection().send(one),
      );
      expect(await Promise.all(sends)).toMatchObject([{ kind: 'accepted' }, { kind: 'refused' }]);
      expect(phone.accepted()).toMatchObject([{ networkId: message.networkId }]);
    });

    it('repeats a message under the same id', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const message = outgoing(network);
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toHaveLength(1);
    });

    it('does not know the outcome of a message once the connection is closed', async () => {
      const { network, link } = await linkedFixture(subject);
      const connection = link.connection();
      await connection.close();
      expect(await connection.send(outgoing(network))).toMatchObject({
        kind: 'unknown',
        reason: expect.any(String),
      });
    });
  });
}

function receiptOf(
  { networkId }: { readonly networkId: string },
  status: 'delivered' | 'read',
): (report: Extract<Report, { kind: 'receipt' }>) => boolean {
  return ({ receipt }) => receipt.networkId === networkId && receipt.status === status;
}
