import type { Activity } from '@trunkline/core/spi/gateway';
import { describe, expect } from 'vitest';
import type { GatewaySubject, TestActivities } from './contract-subject.ts';
import { linkedFixture, outgoing } from './fixture.ts';
import type { Fixture } from './fixture.ts';
import { itWith } from './optional.ts';
import { openLink } from './test-link.ts';
import type { TestLink } from './test-link.ts';

/** Tests reports of events in chats, except receipts and messages to the instance. */
export function activitiesContract(subject: GatewaySubject): void {
  const itReports = itWith(subject, 'activities');
  describe('activities', () => {
    itReports('reports what the owner of the number writes on the phone, and no message', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const to = network.people.reader;
      const networkId = await activitiesOf(phone).write({ to, text: 'typed by hand' });
      expect(await activity(link, 'echo')).toMatchObject({
        networkId,
        to,
        groupNetworkId: null,
        contact: { phoneNumber: to },
        content: { type: 'text', text: 'typed by hand' },
      });
      expect(link.all('message')).toEqual([]);
    });

    itReports('does not report what the instance sends as written on the phone', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      expect(await link.connection().send(outgoing(network))).toEqual({ kind: 'accepted' });
      await phone.receive({ from: network.people.reader, text: 'last' });
      await link.first('message');
      expect(link.all('activity')).toEqual([]);
    });

    itReports('reports a reaction to a message of the instance, and that it is taken back', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      const { networkId: about, ...message } = outgoing(network);
      await link.connection().send({ networkId: about, ...message });
      await activitiesOf(phone).react({ from, about, emoji: '👍' });
      expect(await activity(link, 'reaction')).toMatchObject({
        about,
        author: null,
        emoji: '👍',
        own: false,
        groupNetworkId: null,
        contact: { phoneNumber: from },
      });
      await activitiesOf(phone).react({ from, about, emoji: null });
      expect(await activity(link, 'reaction', ({ emoji }) => emoji === null)).toMatchObject({ about });
    });

    itWith(
      subject,
      'activities',
      'polls',
      'votes',
    )('reports a vote in a poll of the instance, another one, and that it is taken back', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      const payload = { question: 'When?', options: ['Mon', 'Tue', 'Wed'], multiple: true };
      const detail = { kind: 'poll', payload } as const;
      const message = outgoing(network, { content: { type: 'text', text: 'In words' }, detail });
      expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
      const about = message.networkId;
      const { vote } = activitiesOf(phone);
      if (!vote)
        throw new Error(
          'The phone under test has no "vote" among its activities: give it one, or name "votes" in "missing" with the reason.',
        );
      await vote({ from, about, options: ['Mon', 'Wed'] });
      expect(await activity(link, 'vote')).toMatchObject({
        about,
        author: null,
        own: false,
        groupNetworkId: null,
        contact: { phoneNumber: from },
        options: ['Mon', 'Wed'],
      });
      await vote({ from, about, options: ['Tue'] });
      await activity(link, 'vote', ({ options }) => options[0] === 'Tue');
      await vote({ from, about, options: [] });
      const { at } = await activity(link, 'vote', ({ options }) => options.length === 0);
      expect(at).toBeTypeOf('number');
    });

    itReports('reports that its author edits a message, and deletes it', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      const about = await phone.receive({ from, text: 'helo' });
      await activitiesOf(phone).edit({ from, about, text: 'hello' });
      const edit = await activity(link, 'edit');
      expect(edit).toMatchObject({ about, text: 'hello', own: false, contact: { phoneNumber: from } });
      // The author may be named by any id of the contact who edited.
      expect([edit.contact?.networkId, ...(edit.contact?.aliases ?? [])]).toContain(edit.author);
      await activitiesOf(phone).delete({ from, about });
      expect(await activity(link, 'deletion')).toMatchObject({ about, author: edit.author, own: false });
      expect(link.all('message')).toHaveLength(1);
    });

    itReports('reports a call once', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      await activitiesOf(phone).call({ from });
      expect(await activity(link, 'call')).toMatchObject({ contact: { phoneNumber: from }, video: false });
      await phone.receive({ from, text: 'You did not pick up.' });
      await link.first('message');
      expect(link.all('activity')).toHaveLength(1);
    });

    itWith(
      subject,
      'activities',
      'undecryptable',
    )('reports that a message came which only the phone shows, and no message', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      const networkId = await activitiesOf(phone).receiveUndecryptable?.({ from });
      if (networkId === undefined)
        throw new Error(
          'The phone under test has no "receiveUndecryptable" among its activities: give it one, or name "undecryptable" in "missing" with the reason.',
        );
      expect(await activity(link, 'undecryptable')).toMatchObject({
        networkId,
        groupNetworkId: null,
        contact: { phoneNumber: from },
        reason: 'view_once',
      });
      const next = await phone.receive({ from, text: 'Did you see it?' });
      await link.first('message');
      expect(link.all('message').map(({ message }) => message.networkId)).toEqual([next]);
      expect(link.all('activity')).toHaveLength(1);
    });

    itReports('reports an activity again on the next connection until it was taken', async () => {
      const { network, link, phone, session, open } = await linkedFixture(subject);
      await link.connection().close();
      const offered = Promise.withResolvers<void>();
      const taking = async ({ kind }: { readonly kind: string }): Promise<void> => {
        if (kind !== 'activity') return;
        offered.resolve();
        throw new Error('The storage is out of reach.');
      };
      const refusing = await openLink(network.gateway, session, { taking });
      await refusing.first('connected');
      const to = network.people.reader;
      const networkId = await activitiesOf(phone).write({ to, text: 'important' });
      await offered.promise;
      await refusing.connection().close();
      expect(await activity(await open(), 'echo')).toMatchObject({ networkId });
    });
  });
}

function activitiesOf({ activities }: Fixture['phone']): TestActivities {
  if (!activities)
    throw new Error(
      'The phone under test has no "activities": give it them, or name them in "missing" with the reason.',
    );
  return activities;
}

type OfKind<Kind extends Activity['kind']> = Extract<Activity, { kind: Kind }>;

async function activity<Kind extends Activity['kind']>(
  link: TestLink,
  kind: Kind,
  holds: (activity: OfKind<Kind>) => boolean = () => true,
): Promise<OfKind<Kind>> {
  const isIt = (found: Activity): found is OfKind<Kind> =>
    found.kind === kind && holds(found as OfKind<Kind>); // narrowed by `kind`
  const report = await link.first('activity', (candidate) => isIt(candidate.activity));
  if (!isIt(report.activity)) throw new Error('The report is not of the expected kind.');
  return report.activity;
}
