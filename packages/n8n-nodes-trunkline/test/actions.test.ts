import { eventually } from '@trunkline/test-support';
import { http, HttpResponse } from 'msw';
import { NodeApiError } from 'n8n-workflow';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { TrunklineApi } from '../credentials/TrunklineApi.credentials.ts';
import { asText } from '../nodes/Trunkline/as-text.ts';
import { Trunkline } from '../nodes/Trunkline/Trunkline.node.ts';
import { binaryData, locator, startN8n } from './support/n8n.ts';
import type { Run } from './support/n8n.ts';
import { BASE_URL, useService } from './support/start-service.ts';

const service = useService();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let instance: string;
beforeEach(async () => {
  instance = (await service().trunkline.connectInstance({ name: 'Shop' })).id;
});

const execute = (run: Run): Promise<INodeExecutionData[]> => service().n8n.execute(new Trunkline(), run);
const run = (resource: string, operation: string, parameters: INodeParameters = {}): Run => ({
  parameters: { resource, operation, ...parameters },
});
const text = (parameters: INodeParameters = {}): Run =>
  run('message', 'sendText', {
    instance: locator('list', instance),
    to: locator('number', '+1 555 0100'),
    text: 'Hello',
    ...parameters,
  });
const accepted = () => service().trunkline.sandbox.phone(instance).accepted();
/** Waits for a received message, and returns its id. */
const received = (): Promise<string> =>
  eventually(async () => {
    const { data } = await service().trunkline.workspace.messages.list({ direction: 'inbound' });
    expect(data).toHaveLength(1);
    return asText(data[0]?.id);
  });
const queueIsEmpty = async (): Promise<void> => {
  const { workspace } = service().trunkline;
  await eventually(async () => {
    const { data } = await workspace.messages.list({ status: 'queued' });
    expect(data).toEqual([]);
  });
};

describe('another kind of message of a workflow', () => {
  it('is sent from the fields of a form', async () => {
    const addressed = { instance: locator('list', instance), to: locator('number', '+1 555 0100') };
    const send = (operation: string, parameters: INodeParameters) =>
      execute({ ...run('message', operation, { ...addressed, ...parameters }), executionId: operation });
    const place = { latitude: 40.4168, longitude: -3.7038, placeName: 'Puerta del Sol', address: '' };
    await send('sendLocation', place);
    await send('sendContact', { contactName: 'Ann', contactNumbers: '+1 555 0199\n\n+1 555 0198' });
    const [poll] = await send('sendPoll', { question: 'Lunch?', pollOptions: 'yes\n no \n', multiple: true });
    expect(poll?.json).toMatchObject({ kind: 'poll', status: 'queued' });
    await execute(text({ text: 'Ask @15550100', options: { mentions: '15550100, 15550101' } }));
    const webp = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
    const media = { ...text().parameters, operation: 'sendMedia', binaryPropertyName: 'data', caption: '' };
    const binary = { data: binaryData(webp, { mimeType: 'image/webp', fileName: 'wave.webp' }) };
    await execute({
      parameters: { ...media, mediaType: 'sticker' },
      input: [{ json: {}, binary }],
      executionId: '9',
    });
    await queueIsEmpty();
    expect(accepted()).toMatchObject([
      { detail: { kind: 'location', payload: { latitude: 40.4168, name: 'Puerta del Sol', address: null } } },
      {
        detail: {
          kind: 'contact',
          payload: { contacts: [{ name: 'Ann', phone_numbers: ['+1 555 0199', '+1 555 0198'] }] },
        },
      },
      { detail: { kind: 'poll', payload: { question: 'Lunch?', options: ['yes', 'no'], multiple: true } } },
      { text: 'Ask @15550100', mentions: [{ number: '15550100' }, { number: '15550101' }] },
      { detail: { kind: 'sticker' }, file: { mimeType: 'image/webp' } },
    ]);
  });
});

describe('a reaction of a workflow', () => {
  it('is queued once in an execution, and taken back without an emoji', async () => {
    const phone = service().trunkline.sandbox.phone(instance);
    await phone.receive({ from: '15550100', text: 'Can you come?' });
    const messageId = await received();
    const react = (emoji: string, executionId: string) =>
      execute({ ...run('message', 'react', { messageId, emoji }), executionId });
    const [first] = await react('👍', '7');
    expect(first?.json).toMatchObject({ message_id: messageId, emoji: '👍', status: 'queued' });
    const [again] = await react('👍', '7');
    expect(again?.json['id']).toBe(first?.json['id']);
    await react('', '8');
    await eventually(() =>
      expect(phone.acted()).toMatchObject([{ deed: { emoji: '👍' } }, { deed: { emoji: null } }]),
    );
  });
});

describe('a group of a workflow', () => {
  it('is created once, changed, joined and left', async () => {
    const at = { instance: locator('list', instance) };
    const group = (operation: string, parameters: INodeParameters, executionId = operation) =>
      execute({ ...run('group', operation, parameters), executionId });
    const made = { ...at, groupName: 'Choir', participants: '+1 555 0100, +1 555 0101' };
    const [created] = await group('create', made);
    expect(created?.json).toMatchObject({ name: 'Choir' });
    const groupId = asText(created?.json['id']);
    expect((await group('create', made))[0]?.json['id']).toBe(groupId);
    const groupChanges = { name: 'Big choir', description: 'On Fridays' };
    await group('update', { groupId, groupChanges });
    expect((await group('get', { groupId }))[0]?.json).toMatchObject(groupChanges);
    const change = { groupId, participantChange: 'promote', participants: '+1 555 0100\n+1 555 0101' };
    expect(await group('changeParticipants', change)).toHaveLength(2);
    expect((await group('getInvite', { groupId }))[0]?.json['link']).toEqual(expect.any(String));

    const phone = service().trunkline.sandbox.phone(instance);
    await phone.askToJoin(await phone.addGroup({ name: 'Committee', participantsCount: 3 }), '15550109');
    const { data: groups } = await service().trunkline.workspace.instances.groups(instance);
    const team = { groupId: groups.find(({ name }) => name === 'Committee')?.id ?? '' };
    expect(await group('getJoinRequests', team)).toHaveLength(1);
    const decision = { ...team, joinDecision: 'approve', participants: '+1 555 0109' };
    expect(await group('decideJoinRequests', decision)).toHaveLength(1);
    const invite = await phone.offerGroup({ name: 'Orchestra' });
    expect((await group('join', { ...at, invite }))[0]?.json).toMatchObject({ group: { name: 'Orchestra' } });
    expect((await group('leave', { groupId }))[0]?.json).toEqual({ group: groupId, left: true });
  });
});

describe('an edit of a workflow', () => {
  it('replaces a text, or the caption of a file', async () => {
    const phone = service().trunkline.sandbox.phone(instance);
    const [sent] = await execute(text());
    await queueIsEmpty();
    const parameters = { messageId: asText(sent?.json['id']), newText: 'Better', editCaption: false };
    const [edited] = await execute(run('message', 'edit', parameters));
    expect(edited?.json).toMatchObject({ kind: 'edit', text: 'Better', status: 'queued' });
    await eventually(() => expect(phone.acted()).toMatchObject([{ deed: { kind: 'edit', text: 'Better' } }]));
    const caption = { ...parameters, editCaption: true };
    await expect(execute({ ...run('message', 'edit', caption), executionId: '9' })).rejects.toMatchObject({
      message: expect.stringContaining('caption'),
    });
  });
});

describe('a deletion of a workflow', () => {
  it('deletes a message for everyone', async () => {
    const phone = service().trunkline.sandbox.phone(instance);
    const [sent] = await execute(text());
    await queueIsEmpty();
    const messageId = asText(sent?.json['id']);
    const [deleted] = await execute(run('message', 'deleteForEveryone', { messageId }));
    expect(deleted?.json).toMatchObject({ kind: 'deletion', message_id: messageId, status: 'queued' });
    await eventually(() => expect(phone.acted()).toMatchObject([{ deed: { kind: 'deletion' } }]));
  });
});

describe('a read mark of a workflow', () => {
  it('marks a received message as read', async () => {
    const phone = service().trunkline.sandbox.phone(instance);
    const networkId = await phone.receive({ from: '15550100', text: 'Can you come?' });
    const messageId = await received();
    const [marked] = await execute(run('message', 'markRead', { messageId }));
    expect(marked?.json).toMatchObject({ kind: 'read_mark', message_id: messageId, status: 'queued' });
    await eventually(() => expect(phone.read()).toEqual([networkId]));
  });
});

describe('a block of a workflow', () => {
  it('keeps a contact away until it ends', async () => {
    const phone = service().trunkline.sandbox.phone(instance);
    await phone.receive({ from: '15550100', text: 'Buy this!' });
    const { contact } = await service().trunkline.workspace.messages.get(await received());
    const contactId = asText(contact?.id);
    const [item] = await execute(run('contact', 'block', { contactId }));
    expect(item?.json).toEqual({ contact: contactId, blocked: true });
    expect(phone.blocked()).toEqual(['15550100']);
    await execute(run('contact', 'unblock', { contactId }));
    expect(phone.blocked()).toEqual([]);
  });
});

describe('typing in a workflow', () => {
  it('is shown to the chat', async () => {
    const parameters = {
      instance: locator('list', instance),
      to: locator('number', '+1 555 0100'),
      state: 'recording',
    };
    const [item] = await execute(run('message', 'showTyping', parameters));
    expect(item?.json).toEqual({ instance, to: '+1 555 0100', state: 'recording' });
    const phone = service().trunkline.sandbox.phone(instance);
    expect(phone.typing()).toEqual([{ to: '15550100', state: 'recording' }]);
  });
});

describe('a lookup of a workflow', () => {
  it('has an item for each number', async () => {
    const parameters = { instance: locator('list', instance), numbers: '+1 555 0100, 15550003' };
    const items = await execute(run('instance', 'lookUp', parameters));
    expect(items.map(({ json }) => json)).toEqual([
      { number: '15550100', on_network: true, registered_number: '15550100' },
      { number: '15550003', on_network: false, registered_number: null },
    ]);
  });
});

describe('a message that a workflow sends', () => {
  it('is a text, whose message goes out paired with its item', async () => {
    const [item] = await execute(text());
    expect(item).toMatchObject({
      json: { id: expect.stringMatching(/^msg_/), to: '15550100', text: 'Hello', status: 'queued' },
      pairedItem: { item: 0 },
    });
    await eventually(() => expect(accepted()).toMatchObject([{ to: '15550100', text: 'Hello' }]));
  });

  it('goes to a group chosen from the list, and may quote a message', async () => {
    const { workspace } = service().trunkline;
    const [group] = (await workspace.instances.groups(instance)).data;
    const to = locator('list', group?.id ?? '');
    const [first] = await execute({ ...text({ to }), executionId: '1' });
    await queueIsEmpty();
    const options = { replyTo: asText(first?.json['id']) };
    const [reply] = await execute({ ...text({ to, options }), executionId: '2' });
    expect(reply?.json).toMatchObject({ group_id: group?.id, reply_to: first?.json['id'] });
  });

  it('is sent once when the node is tried again in the same execution', async () => {
    const [first] = await execute({ ...text(), executionId: '7' });
    const [again] = await execute({ ...text(), executionId: '7' });
    expect(again?.json['id']).toBe(first?.json['id']);
    await queueIsEmpty();
    expect(accepted()).toHaveLength(1);
  });

  it('is sent once when the execution is retried from the list', async () => {
    const input = [{ json: { order: 4711 } }];
    await execute({ ...text(), input, executionId: '7', establishedAt: 1_763_672_400_000 });
    await execute({ ...text(), input, executionId: '9', establishedAt: 1_763_672_400_000 });
    await queueIsEmpty();
    expect(accepted()).toHaveLength(1);
    // Another execution may begin in the same millisecond.
    const other = [{ json: { order: 4712 } }];
    await execute({ ...text(), input: other, executionId: '8', establishedAt: 1_763_672_400_000 });
    await queueIsEmpty();
    expect(accepted()).toHaveLength(2);
  });

  it('is a new message for another item, another run of a loop and another execution', async () => {
    const items = { input: [{ json: {} }, { json: {} }] };
    await execute({ ...text(), ...items, executionId: '7' });
    await execute({ ...text(), executionId: '7', runIndex: 1 });
    await execute({ ...text(), executionId: '8' });
    await queueIsEmpty();
    expect(accepted()).toHaveLength(4);
  });

  it('is sent once across executions under a key of the workflow', async () => {
    const options = { idempotencyKey: 'order-4711-shipped' };
    await execute({ ...text({ options }), executionId: '7' });
    await execute({ ...text({ options }), executionId: '8' });
    await queueIsEmpty();
    expect(accepted()).toHaveLength(1);
  });

  it('is sent at its time, listed until then, and cancelled', async () => {
    const options = { sendAt: new Date(Date.now() + 3_600_000).toISOString() };
    const [item] = await execute(text({ options }));
    expect(item?.json).toMatchObject({ status: 'queued', send_at: expect.any(String) });
    const messageId = asText(item?.json['id']);
    const listed = await execute(run('message', 'getScheduled', { returnAll: true }));
    expect(listed).toMatchObject([{ json: { id: messageId } }]);
    const [cancelled] = await execute(run('message', 'cancel', { messageId }));
    expect(cancelled?.json).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    expect(await execute(run('message', 'getScheduled', { returnAll: true }))).toEqual([]);
  });

  it('is a file of the item, with its name, its caption and a matching type', async () => {
    const media = (fileName: string, mimeType: string, parameters: INodeParameters = {}): Run => ({
      parameters: {
        ...text().parameters,
        operation: 'sendMedia',
        binaryPropertyName: 'photo',
        ...parameters,
      },
      input: [{ json: {}, binary: { photo: binaryData(PNG, { fileName, mimeType }) } }],
    });
    const [image] = await execute({
      ...media('räksmörgås "1".png', 'image/png', { caption: 'Lunch' }),
      executionId: '1',
    });
    expect(image?.json).toMatchObject({
      type: 'image',
      caption: 'Lunch',
      media: { mime_type: 'image/png', size: PNG.length, filename: 'räksmörgås "1".png' },
    });
    const options = { filename: 'scan.png' };
    const [document] = await execute({
      ...media('a.png', 'image/png', { mediaType: 'document', options }),
      executionId: '2',
    });
    expect(document?.json).toMatchObject({ type: 'document', media: { filename: 'scan.png' } });
    await queueIsEmpty();
    expect(accepted()).toMatchObject([
      { text: 'Lunch', file: { type: 'image', size: PNG.length } },
      { file: { type: 'document', filename: 'scan.png' } },
    ]);
  });
});

describe('what a workflow reads', () => {
  it('is a message with its present status', async () => {
    const [sent] = await execute(text());
    const messageId = asText(sent?.json['id']);
    await eventually(async () => {
      const [item] = await execute(run('message', 'get', { messageId }));
      expect(item?.json).toMatchObject({ id: messageId, status: 'read' });
    });
  });

  it('is all messages, or the requested number, newest first', async () => {
    const input = Array.from({ length: 103 }, (_, index) => ({ json: { index } }));
    await execute({ ...text(), input });
    const all = await execute(run('message', 'getAll', { returnAll: true }));
    expect(new Set(all.map(({ json }) => json['id'])).size).toBe(103);
    const some = await execute(run('message', 'getAll', { returnAll: false, limit: 101 }));
    expect(some).toEqual(all.slice(0, 101));
  });

  it('is only the messages that match its filters', async () => {
    const phone = service().trunkline.sandbox.phone(instance);
    await phone.receive({ from: '15550177', text: 'Where is it?' });
    await execute(text());
    await queueIsEmpty();
    const filters = {
      direction: 'inbound',
      counterpart: '+1 555 0177',
      status: ['received', 'read'],
      instance,
    };
    await eventually(async () => {
      const found = await execute(run('message', 'getAll', { filters }));
      expect(found.map(({ json }) => json['text'])).toEqual(['Where is it?']);
    });
    expect(await execute(run('message', 'getAll', { filters: { before: '2020-01-01T00:00:00Z' } }))).toEqual(
      [],
    );
  });

  it('is the file of a message', async () => {
    const phone = service().trunkline.sandbox.phone(instance);
    await phone.receive({
      from: '15550177',
      file: { type: 'image', content: PNG, mimeType: 'image/png', filename: 'receipt.png' },
    });
    const message = await eventually(async () => {
      const [found] = await execute(run('message', 'getAll', { filters: { direction: 'inbound' } }));
      expect(found?.json['media']).toMatchObject({ available: true });
      return found?.json;
    });
    const download = run('message', 'downloadMedia', {
      messageId: asText(message?.['id']),
      binaryPropertyName: 'file',
    });
    const [item] = await execute(download);
    expect(item?.binary?.['file']).toEqual(
      binaryData(PNG, { fileName: 'receipt.png', mimeType: 'image/png' }),
    );
  });

  it('is instances, groups and chats', async () => {
    await execute(text());
    const at = { instance: locator('id', instance) };
    const names = async (resource: string, parameters: INodeParameters): Promise<unknown[]> =>
      (await execute(run(resource, 'getAll', parameters))).map(({ json }) => json['name']);
    expect(await names('instance', {})).toEqual(['Shop']);
    expect(await names('group', at)).toHaveLength(2);
    expect(await names('group', { ...at, limit: 1 })).toHaveLength(1);
    await eventually(async () => {
      const [chat] = await execute(run('chat', 'getAll', { ...at, returnAll: true }));
      expect(JSON.stringify(chat?.json)).toContain('15550100');
    });
    expect((await execute(run('instance', 'get', at)))[0]?.json).toMatchObject({
      id: instance,
      status: 'connected',
    });
  });

  it('is the code that links a new number', async () => {
    const { id } = await service().trunkline.workspace.instances.create({ name: 'Second' });
    const at = { instance: locator('id', id) };
    const [connecting] = await execute(run('instance', 'connect', at));
    expect(connecting?.json).toMatchObject({ id, status: expect.stringMatching(/connecting|qr_required/) });
    const [qr] = await eventually(() => execute(run('instance', 'getQr', at)));
    expect(qr?.json).toMatchObject({ code: expect.any(String), expires_at: expect.any(String) });
    expect(qr?.json).not.toHaveProperty('svg');
    const picture = qr?.binary?.['data'];
    expect(picture).toMatchObject({ mimeType: 'image/svg+xml' });
    expect(Buffer.from(picture?.data ?? '', 'base64').toString()).toMatch(/^<svg/);
  });

  it('is offered in the lists of the editor', async () => {
    const { n8n } = service();
    const node = new Trunkline();
    const number = (await service().trunkline.workspace.instances.get(instance)).phone_number;
    expect(await n8n.list(node, 'searchInstances')).toEqual([`Shop (+${number})`]);
    expect(await n8n.list(node, 'searchGroups', { instance: locator('list', instance) })).toHaveLength(2);
    expect(await n8n.list(node, 'searchGroups')).toEqual([]);
  });
});

describe('a request that the API refuses', () => {
  it('stops the workflow with its code, its message, its fields and its request', async () => {
    const refused = await execute(text({ to: locator('number', 'nobody') })).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NodeApiError);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^INVALID_RECIPIENT: \w/),
      description: expect.stringMatching(/^Request req_\w+$/),
      httpCode: '422',
      context: { itemIndex: 0 },
    });
    const invalid = await execute(text({ text: ' ' })).catch((error: unknown) => error);
    expect(invalid).toMatchObject({
      message: expect.stringMatching(/^VALIDATION_FAILED: /),
      description: expect.stringMatching(/^text: Must hold more than white space\.\nRequest req_/),
    });
  });

  it('is a separate item in the shape of the API, if the node continues', async () => {
    const input = [{ json: {} }, { json: {} }];
    await service().trunkline.workspace.instances.disconnect(instance);
    const items = await execute({ ...text(), input, continueOnFail: true });
    expect(items).toHaveLength(2);
    expect(items[1]).toEqual({
      json: {
        error: {
          code: 'INSTANCE_NOT_CONNECTED',
          message: expect.any(String),
          request_id: expect.stringMatching(/^req_/),
          status: 409,
        },
      },
      pairedItem: { item: 1 },
    });
  });

  it('is sent again when the service says so, if its rate is the reason', async () => {
    let refusals = 0;
    service().server.use(
      http.post(`${BASE_URL}/messages`, () => {
        refusals += 1;
        if (refusals > 2) return undefined; // passed to the service
        return HttpResponse.json(
          { error: { code: 'RATE_LIMITED', message: 'Slow down.', request_id: null } },
          { status: 429, headers: { 'Retry-After': '0' } },
        );
      }),
    );
    expect(await execute(text())).toMatchObject([{ json: { status: 'queued' } }]);
    expect(refusals).toBe(3);
  });

  it('stops the workflow if it is refused for longer than a minute', async () => {
    const full = HttpResponse.json(
      { error: { code: 'SEND_BACKLOG', message: 'Too many messages wait.', request_id: 'req_1' } },
      { status: 429, headers: { 'Retry-After': '61' } },
    );
    service().server.use(http.post(`${BASE_URL}/messages`, () => full));
    await expect(execute(text())).rejects.toMatchObject({ message: 'SEND_BACKLOG: Too many messages wait.' });
  });

  it('is reported as not from the API, if the base URL is wrong', async () => {
    const elsewhere = startN8n(new TrunklineApi(), { baseUrl: 'https://shop.example.com', apiKey: 'trk_1' });
    service().server.use(
      http.get('https://shop.example.com/instances', () => HttpResponse.html('<h1>Shop</h1>')),
      http.post('https://shop.example.com/messages', () =>
        HttpResponse.redirect('https://thief.example.com/', 307),
      ),
    );
    const node = new Trunkline();
    const code = (message: string) => ({
      message: expect.stringContaining(`${message}: The response is not one of the API`),
    });
    await expect(elsewhere.execute(node, run('instance', 'getAll'))).rejects.toMatchObject(code('HTTP_200'));
    await expect(elsewhere.execute(node, text())).rejects.toMatchObject(code('HTTP_307'));
    const nowhere = startN8n(new TrunklineApi(), { baseUrl: 'shop.example.com', apiKey: 'trk_1' });
    await expect(nowhere.execute(node, text())).rejects.toThrow('must begin with https://');
  });
});

it.each(['../instances', '..', '.', ''])('the id "%s" stays an id', async (messageId) => {
  await expect(execute(run('message', 'get', { messageId }))).rejects.toThrow(/^MESSAGE_NOT_FOUND/);
});

it('each operation that can be chosen in the node exists, and no other', async () => {
  const { OPERATIONS } = await import('../nodes/Trunkline/operations.ts');
  const { properties } = new Trunkline().description;
  const chosen = properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ displayOptions, options = [] }) =>
      options.map(
        (option) =>
          `${asText(displayOptions?.show?.['resource']?.[0])}:${asText('value' in option && option.value)}`,
      ),
    );
  expect(chosen.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
});
