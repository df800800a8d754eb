import { describe, expect, it } from 'vitest';
import { closedFor } from './closed-for.ts';
import type { GatewaySubject } from './contract-subject.ts';
import { linkedFixture } from './fixture.ts';
import { lacks } from './optional.ts';

export function endingContract(subject: GatewaySubject): void {
  describe('ending', () => {
    it('reports a lost connection, and can open another', async () => {
      const { link, phone, open } = await linkedFixture(subject);
      await phone.drop();
      const isLoss = ({ reason }: { reason: { kind: string } }): boolean => reason.kind !== 'restart';
      expect((await link.first('closed', isLoss)).reason).toMatchObject({
        kind: 'dropped',
        detail: expect.stringMatching(/^[a-z_]+$/),
      });
      await (await open()).first('connected');
    });

    it('reports an unlinking by the phone', async () => {
      const { link, phone } = await linkedFixture(subject);
      await phone.unlink();
      const closed = await link.first('closed', ({ reason }) => reason.kind !== 'restart');
      expect(closedFor(closed.reason)).toEqual({ kind: 'unlinked' });
    });

    it('reports that it cannot continue, on this connection or the next', async () => {
      const { link, phone, open } = await linkedFixture(subject);
      await phone.fail();
      await link.first('closed', ({ reason }) => reason.kind !== 'restart');
      const last = link.all('closed').at(-1);
      const closed = last?.reason.kind === 'failed' ? last : await (await open()).first('closed');
      expect(closedFor(closed.reason)).toEqual({ kind: 'failed', code: expect.stringMatching(/^[a-z_]+$/) });
    });

    it('reports nothing after it was closed', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      if (!lacks(subject, 'groups')) await link.first('groups');
      const before = link.reports.length;
      await link.connection().close();
      await phone.receive({ from: network.people.reader, text: 'too late' }).catch(() => undefined);
      expect(link.reports.slice(before)).toEqual([]);
    });

    const unlinks = subject.credentials ? it.skip : it;
    unlinks('unlinks the number when it logs out', async () => {
      const { link, session, open } = await linkedFixture(subject);
      const before = link.all('closed').length;
      await link.connection().logout();
      expect(link.all('closed').length).toBe(before);
      const again = await open(session.copy());
      expect(closedFor((await again.first('closed')).reason)).toEqual({ kind: 'unlinked' });
    });

    it('may be closed twice, and after a logout', async () => {
      const { link } = await linkedFixture(subject);
      if (!lacks(subject, 'groups')) await link.first('groups');
      const before = link.reports.length;
      const connection = link.connection();
      await connection.logout();
      await connection.close();
      await connection.close();
      // The gateway may ask for restrictions after it connects, and get its answer until the logout ends.
      expect(link.reports.slice(before).filter(({ kind }) => kind !== 'restricted')).toEqual([]);
    });
  });
}
