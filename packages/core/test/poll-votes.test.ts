import { describe, expect, it } from 'vitest';
import { OPT_IN_EVENT_TYPES } from '../src/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { receivedEvents, SECOND, startHarness } from './support/harness.ts';

const ADA = '34600000009';
const EVE = '34600000666';
const POLL = { question: 'When?', options: ['Mon', 'Tue', 'Wed'], multiple: false } as const;

/** An instance on the sandbox network that has sent a poll to Ada. */
async function polls(payload: { question: string; options: readonly string[]; multiple: boolean } = POLL) {
  const sandbox = createSandbox({ scansQrs: true });
  const harness = await startHarness({ gateway: sandbox.gateway });
  const { api, clock } = harness;
  await api.webhooks.create({ url: 'https://hooks.example.com/more', events: OPT_IN_EVENT_TYPES });
  const { id: instanceId } = await api.instances.create();
  await api.instances.connect(instanceId);
  await clock.advance(SECOND);
  const { message } = await api.messages.send({ instance: instanceId, to: ADA, kind: 'poll', payload });
  await clock.advance(SECOND);
  const phone = sandbox.phone(instanceId);
  const about = phone.accepted()[0]?.networkId ?? '';
  return {
    harness,
    instanceId,
    phone,
    about,
    message,
    async vote(options: readonly string[], from: string | undefined = ADA) {
      await phone.vote({ about, options, ...(from !== undefined && { from }) });
      await clock.advance(SECOND);
    },
    votes: async () => (await api.messages.votes(message.id)).data,
    async reported() {
      await clock.settle();
      return receivedEvents(harness).flatMap(({ type, data }) =>
        type === 'message.poll_voted' ? [data] : [],
      );
    },
  };
}

describe('a vote in a poll', () => {
  it('is reported with its poll, and listed, until the person votes anew or takes it back', async () => {
    const { harness, message, vote, votes, reported } = await polls();
    await vote(['Tue']);
    const contact = expect.objectContaining({ phone_number: ADA });
    const first = { options: ['Tue'], contact, own: false, at: expect.any(String) };
    expect(await votes()).toEqual([first]);
    expect(await reported()).toEqual([{ message: await harness.api.messages.get(message.id), vote: first }]);
    await vote(['Wed']);
    expect(await votes()).toEqual([{ ...first, options: ['Wed'] }]);
    await vote([]);
    expect(await votes()).toEqual([{ ...first, options: [] }]);
    expect((await reported()).map((data) => 'vote' in data && data.vote.options)).toEqual([
      ['Tue'],
      ['Wed'],
      [],
    ]);
  });

  it('may be the owner’s, beside those of others', async () => {
    const { phone, about, vote, votes, harness } = await polls();
    await vote(['Mon']);
    await phone.vote({
      about,
      options: ['Wed'],
      message: { author: null, groupNetworkId: null, contact: ADA },
    });
    await harness.clock.advance(SECOND);
    expect(await votes()).toMatchObject([
      { options: ['Wed'], own: true, contact: null },
      { options: ['Mon'], own: false },
    ]);
  });

  it.each([
    ['answers that the poll does not have', ['Sun']],
    ['two answers of a poll with one', ['Mon', 'Tue']],
  ])('counts as refused if it has %s', async (_what, options) => {
    const { vote, votes, reported } = await polls();
    await vote(options);
    expect(await votes()).toEqual([]);
    expect(await reported()).toEqual([]);
  });

  it('has several answers if the poll allows that, each once', async () => {
    const { vote, votes } = await polls({ ...POLL, multiple: true });
    await vote(['Mon', 'Mon']);
    expect(await votes()).toEqual([]);
    await vote(['Wed', 'Mon']);
    expect(await votes()).toMatchObject([{ options: ['Wed', 'Mon'] }]);
  });

  it('is refused from a person who is not in the chat, and after the poll was deleted', async () => {
    const { harness, message, vote, votes, reported } = await polls();
    await vote(['Mon'], EVE);
    expect(await votes()).toEqual([]);
    await vote(['Mon']);
    await harness.api.messages.deleteForEveryone(message.id);
    await harness.clock.advance(SECOND);
    expect(await votes()).toEqual([]);
    await vote(['Tue']);
    expect(await votes()).toEqual([]);
    expect(await reported()).toHaveLength(1);
  });

  it('is exported and erased with the person', async () => {
    const { harness, message, vote } = await polls();
    await vote(['Mon']);
    const { api, workspaceId, trunkline } = harness;
    const { admin } = trunkline;
    const [contactId = ''] = (await api.messages.votes(message.id)).data.flatMap(
      ({ contact }) => contact?.id ?? [],
    );
    expect(await harness.storage.votes.listOfPeople(workspaceId, [contactId])).toHaveLength(1);
    const items: unknown[] = [];
    for await (const item of await admin.exportPerson({ workspaceId, number: ADA })) items.push(item);
    expect(items).toContainEqual({
      kind: 'vote',
      vote: { message_id: message.id, options: ['Mon'], at: expect.any(String) },
    });
    await admin.erasePerson({ workspaceId, number: ADA });
    await expect(api.messages.votes(message.id)).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    expect(await harness.storage.votes.listOfPeople(workspaceId, [contactId])).toEqual([]);
  });

  it('is listed for the workspace alone, page by page; a text has none', async () => {
    const { harness, instanceId, message, vote } = await polls();
    await vote(['Mon']);
    const { api } = harness;
    await expect(api.messages.votes('msg_01kaj2s0a2c4e6g8j1m3p5r7t9')).rejects.toMatchObject({
      code: 'MESSAGE_NOT_FOUND',
    });
    await expect(api.messages.votes(message.id, { limit: 0 })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const { message: text } = await api.messages.send({
      instance: instanceId,
      to: ADA,
      type: 'text',
      text: 'Hello',
    });
    expect((await api.messages.votes(text.id)).data).toEqual([]);
  });
});
