import { describe, expect, it } from 'vitest';
import type { GatewaySubject } from './contract-subject.ts';
import { FILES } from './files.ts';
import { fileContent, linkedFixture, outgoing } from './fixture.ts';

export function sendingContract(subject: GatewaySubject): void {
  describe('sending', () => {
    it('reports that a text is accepted once the network has it, and reports its receipts', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const message = outgoing(network, { content: { type: 'text', text: 'Grüße 👋\nzwei Zeilen' } });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toEqual([
        { networkId: message.networkId, to: message.to, text: 'Grüße 👋\nzwei Zeilen', file: null },
      ]);
      const receiptOf =
        (status: string) =>
        ({ receipt }: { receipt: { networkId: string; status: string } }) =>
          receipt.networkId === message.networkId && receipt.status === status;
      await link.first('receipt', receiptOf('delivered'));
      await link.first('receipt', receiptOf('read'));
    });

    it.each(FILES)('sends a file of type $type', async ({ type, ...file }) => {
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

    it('sends to a group, whose members read it', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const to = await phone.addGroup('Neighbours');
      await link.first('groups', ({ groups }) => groups.some(({ networkId }) => networkId === to));
      const message = outgoing(network, { to, isGroup: true });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toMatchObject([{ networkId: message.networkId, to, text: 'Hello' }]);
      await link.first(
        'receipt',
        ({ receipt }) => receipt.networkId === message.networkId && receipt.status === 'read',
      );
    });

    it('says what the network refuses', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      expect(await link.connection().send(outgoing(network, { to: network.people.refused }))).toEqual({
        kind: 'refused',
        error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) },
      });
      expect(phone.accepted()).toEqual([]);
    });

    it('sends a message again under the same id as the same message', async () => {
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
