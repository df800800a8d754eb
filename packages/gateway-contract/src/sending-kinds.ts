import type { OutgoingDetail } from '@trunkline/core/spi/gateway';
import { describe, expect } from 'vitest';
import type { GatewaySubject } from './contract-subject.ts';
import { WEBP } from './files.ts';
import { fileContent, linkedFixture, outgoing } from './fixture.ts';
import { itWith } from './optional.ts';

const PLACE = { latitude: 40.4168, longitude: -3.7038, name: 'Puerta del Sol', address: null };
const POLL = { question: 'Lunch?', options: ['yes', 'no'] };
const ANN = card('Ann', '+34 600 000 001');

/** The messages without a file, each with the capability that it needs. */
const WITHOUT_FILE: readonly (readonly ['locations' | 'contacts' | 'polls', OutgoingDetail])[] = [
  ['locations', { kind: 'location', payload: PLACE }],
  ['locations', { kind: 'location', payload: { ...PLACE, name: null, address: 'Madrid' } }],
  ['contacts', { kind: 'contact', payload: { contacts: [ANN] } }],
  ['contacts', { kind: 'contact', payload: { contacts: [ANN, card('Bob', '+34 600 000 002')] } }],
  ['polls', { kind: 'poll', payload: { ...POLL, multiple: false } }],
  ['polls', { kind: 'poll', payload: { ...POLL, multiple: true } }],
];

/** Tests messages of other kinds than texts and files, and mentions of people. */
export function sendingKindsContract(subject: GatewaySubject): void {
  describe('sending other kinds', () => {
    WITHOUT_FILE.forEach(([capability, detail], index) =>
      itWith(subject, capability)(`sends a message of the kind ${detail.kind} (${index + 1})`, async () => {
        const { network, link, phone } = await linkedFixture(subject);
        const message = outgoing(network, { content: { type: 'text', text: 'In words' }, detail });
        expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
        expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
        const { networkId, to } = message;
        expect(phone.accepted()).toMatchObject([{ networkId, to, file: null, detail }]);
      }),
    );

    itWith(subject, 'locations')('sends a location as a reply', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      const asked = await phone.receive({ from, text: 'Where are you?' });
      const { message: received } = await link.first('message');
      const detail = { kind: 'location', payload: PLACE } as const;
      const replyTo = { networkId: asked, senderId: received.senderId, text: 'Where are you?' };
      const content = { type: 'text', text: 'In words' } as const;
      const message = outgoing(network, { content, detail, replyTo });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toMatchObject([{ networkId: message.networkId, detail }]);
    });

    itWith(subject, 'stickers')('sends a sticker', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const content = { ...fileContent('image', WEBP), caption: null };
      const detail = { kind: 'sticker', payload: { animated: false } } as const;
      const message = outgoing(network, { content, detail });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      const file = { type: 'image', mimeType: 'image/webp', size: WEBP.content.length };
      expect(phone.accepted()).toMatchObject([{ networkId: message.networkId, file, detail }]);
    });

    itWith(subject, 'mentions')('mentions a person in a text', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const number = network.people.reader;
      await phone.receive({ from: number, text: 'Hello' });
      const { message: received } = await link.first('message');
      const { senderId: networkId } = received;
      const mentions = [{ written: 'con_ada', number, networkId }];
      const content = { type: 'text', text: 'Ask @con_ada, not @con_adam' } as const;
      const message = outgoing(network, { content, mentions });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      const byNumber = [{ written: number, number, networkId: null }];
      const text = `Ask @${number}`;
      const second = outgoing(network, { content: { type: 'text', text }, mentions: byNumber });
      expect(await link.connection().send(second)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toMatchObject([{ mentions: [number] }, { mentions: [number] }]);
      const [first] = phone.accepted();
      expect(first?.text).toMatch(/^Ask @.+, not @con_adam$/);
    });

    itWith(
      subject,
      'mentions',
      'image',
    )('mentions a person in the caption of a picture', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const number = network.people.reader;
      const content = { ...fileContent('image', WEBP), caption: `Ask @${number}` };
      const mentions = [{ written: number, number, networkId: null }];
      const message = outgoing(network, { content, mentions });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      expect(phone.accepted()).toMatchObject([{ mentions: [number] }]);
    });
  });
}

function card(
  name: string,
  number: string,
): { readonly name: string; readonly phone_numbers: readonly string[]; readonly vcard: string } {
  const vcard = `BEGIN:VCARD\nVERSION:3.0\nN:;${name};;;\nFN:${name}\nTEL;type=CELL:${number}\nEND:VCARD`;
  return { name, phone_numbers: [number], vcard };
}
