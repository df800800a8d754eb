import { describe, expect, it } from 'vitest';
import type { Contact, ContactReport } from './contact.ts';
import { decideContact } from './decide-contact.ts';

const ANN: Contact = {
  id: 'con_1',
  workspaceId: 'ten_1',
  instanceId: 'ins_1',
  networkId: '1@lid',
  aliases: ['15550001@s'],
  formerIds: [],
  phoneNumber: '15550001',
  dialledNumbers: [],
  name: 'Ann',
  username: null,
  createdAt: 1,
};
const NEW = { id: 'con_9', workspaceId: 'ten_1', instanceId: 'ins_1', createdAt: 9 };

function report(changes: Partial<ContactReport>): ContactReport {
  return { networkId: '1@lid', aliases: [], phoneNumber: null, name: null, username: null, ...changes };
}

describe('the person whom a report is about', () => {
  it('is new if nobody has its ids', () => {
    const { contact, written } = decideContact(report({ networkId: '7@lid', name: 'Bea' }), [], () => NEW);
    expect(contact).toMatchObject({ ...NEW, networkId: '7@lid', name: 'Bea', formerIds: [] });
    expect(written).toEqual([contact]);
  });

  it('is the one with its preferred id, and is written only if something is new', () => {
    expect(decideContact(report({}), [ANN], () => NEW)).toMatchObject({ contact: ANN, written: [] });
    const { written } = decideContact(report({ name: 'Anna' }), [ANN], () => NEW);
    expect(written).toEqual([{ ...ANN, name: 'Anna' }]);
  });

  it.each([0, 1])(
    'is the oldest of several contacts that turn out to be one, whichever comes first',
    (first) => {
      const younger: Contact = {
        ...ANN,
        id: 'con_2',
        networkId: '15550002@s',
        aliases: [],
        formerIds: ['con_0'],
        phoneNumber: '15550002',
        name: null,
      };
      const known = first === 0 ? [ANN, younger] : [younger, ANN];
      const { contact, written } = decideContact(report({ aliases: ['15550002@s'] }), known, () => NEW);
      expect(contact).toMatchObject({
        id: 'con_1',
        networkId: '1@lid',
        formerIds: ['con_2', 'con_0'],
        name: 'Ann',
      });
      expect(contact.aliases.toSorted()).toEqual(['15550001@s', '15550002@s']);
      expect(written).toEqual([contact]);
    },
  );

  it('takes a number and an id from the contact that had them', () => {
    const reassigned = report({ networkId: '2@lid', aliases: ['15550001@s'], phoneNumber: '15550001' });
    const { contact, written } = decideContact(reassigned, [ANN], () => NEW);
    expect(contact).toMatchObject({ ...NEW, networkId: '2@lid', phoneNumber: '15550001' });
    expect(written).toEqual([contact, { ...ANN, aliases: [], phoneNumber: null }]);
  });

  it('leaves a contact the number that the report does not have', () => {
    const { written } = decideContact(
      report({ networkId: '2@lid', aliases: ['15550001@s'] }),
      [ANN],
      () => NEW,
    );
    expect(written[1]).toEqual({ ...ANN, aliases: [] });
  });
});
