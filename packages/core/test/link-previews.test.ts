import { describe, expect, it } from 'vitest';
import type { MessageResource, TrunklineOptions } from '../src/index.ts';
import type { OutgoingMessage } from '../src/spi/gateway.ts';
import type { LinkPreviewer, LinkRequest, PagePreview } from '../src/spi/runtime.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';
import { MINUTE, SECOND, connectScripted, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const PAGE: PagePreview = { title: 'A page', description: null, image: null };
const LINK = 'https://example.com/a';

interface Setup {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  /** The pages that were fetched. */
  readonly fetched: readonly LinkRequest[];
  send(text: string, linkPreview?: boolean | null): Promise<MessageResource>;
  /** The previews of the messages that the network got, in their order. */
  previews(): readonly unknown[];
}

async function start(
  linkPreviews: TrunklineOptions['linkPreviews'],
  preview: LinkPreviewer['preview'] = async () => PAGE,
  { script = {}, ...options }: Partial<TrunklineOptions> & { readonly script?: Partial<Script> } = {},
): Promise<Setup> {
  const fetched: LinkRequest[] = [];
  const gateway = scriptedGateway(script);
  const linkPreviewer: LinkPreviewer = {
    preview(request, signal) {
      fetched.push(request);
      return preview(request, signal);
    },
  };
  const harness = await startHarness({ gateway, linkPreviewer, linkPreviews, ...options });
  const instance = await connectScripted(harness);
  return {
    harness,
    gateway,
    fetched,
    async send(text, linkPreview) {
      const input = { instance, to: '15550001', type: 'text', text, link_preview: linkPreview } as const;
      return (await harness.api.messages.send(input)).message;
    },
    previews: () => gateway.sent().map(previewOf),
  };
}

function previewOf({ content }: OutgoingMessage): unknown {
  return content.type === 'text' ? content.preview : 'no text';
}

describe('a text with a link', () => {
  it.each([
    ['requested', true, { url: LINK, ...PAGE }],
    ['requested', null, undefined],
    ['all', undefined, { url: LINK, ...PAGE }],
    ['all', false, undefined],
    ['off', false, undefined],
    [undefined, undefined, undefined],
  ] as const)(
    'has a preview if the service and the request say so: %s, %s',
    async (mode, requested, expected) => {
      const { harness, send, previews, fetched } = await start(mode);
      await send(`See ${LINK}.`, requested);
      await harness.clock.settle();
      expect(previews()).toEqual([expected]);
      expect(fetched).toHaveLength(expected === undefined ? 0 : 1);
    },
  );

  it('has none without a link', async () => {
    const { harness, send, previews, fetched } = await start('all');
    await send('See you tomorrow.');
    await harness.clock.settle();
    expect([previews(), fetched]).toEqual([[undefined], []]);
  });

  it('says in its payload what was requested', async () => {
    const { send } = await start('requested');
    expect((await send(LINK, true)).payload).toEqual({ link_preview: true });
    expect((await send(LINK, false)).payload).toEqual({ link_preview: false });
    expect((await send(LINK, null)).payload).toBeNull();
  });

  it('is refused if it requests a preview of a service that makes none', async () => {
    const { send, harness } = await start('off');
    const fields = { link_preview: [expect.stringContaining('LINK_PREVIEWS')] };
    await expect(send(LINK, true)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', details: { fields } });
    expect((await harness.api.messages.list()).data).toEqual([]);
  });

  it('is another request with another wish', async () => {
    const { harness, send } = await start('all');
    const { instance_id: instance } = await send(LINK);
    const sent = { instance, to: '15550001', type: 'text', text: LINK } as const;
    const key = { idempotencyKey: 'one' };
    await harness.api.messages.send({ ...sent, link_preview: false }, key);
    await harness.api.messages.send({ ...sent, link_preview: false }, key);
    await expect(harness.api.messages.send({ ...sent, link_preview: true }, key)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });
});

describe('the page of a link', () => {
  it('is fetched by the rules of webhooks, without the private hosts that webhooks may reach', async () => {
    const { harness, send, fetched } = await start('all', undefined, {
      webhookAllow: ['n8n.internal', '10.0.0.0/8'],
      webhookDeny: ['denied.example'],
    });
    await send(LINK);
    await harness.clock.settle();
    expect(fetched).toMatchObject([
      { url: LINK, urlPolicy: 'public', hosts: { allow: { names: expect.anything(), ranges: [] } } },
    ]);
  });

  it('is fetched once for many texts, and again after five minutes', async () => {
    const { harness, send, fetched, previews } = await start('all');
    for (const text of [LINK, `${LINK} again`, `and ${LINK}`]) await send(text);
    await harness.clock.settle();
    expect(previews()).toEqual(Array.from({ length: 3 }, () => ({ url: LINK, ...PAGE })));
    expect(fetched).toHaveLength(1);
    await harness.clock.advance(5 * MINUTE);
    await send(LINK);
    await harness.clock.settle();
    expect(fetched).toHaveLength(2);
  });

  it('does not delay a text by more than a few seconds, whatever it does', async () => {
    const { harness, send, previews } = await start('all', () => new Promise<never>(() => {}));
    await send(LINK);
    await harness.clock.advance(3 * SECOND);
    expect(previews()).toEqual([]);
    await harness.clock.advance(SECOND);
    expect(previews()).toEqual([null]);
  });

  it('is not fetched while eight others are: the text goes without a preview', async () => {
    const { harness, fetched, previews } = await start('all', () => new Promise<never>(() => {}));
    for (let place = 0; place <= 8; place += 1) {
      const instance = await connectScripted(harness);
      const text = `${LINK}${place}`;
      await harness.api.messages.send({ instance, to: '15550001', type: 'text', text });
    }
    await harness.clock.settle();
    expect(fetched).toHaveLength(8);
    expect(previews()).toEqual([null]);
  });

  it('is abandoned after three seconds', async () => {
    const { harness, send, previews } = await start(
      'all',
      (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(PAGE))),
    );
    await send(LINK);
    await harness.clock.advance(3 * SECOND);
    expect(previews()).toEqual([{ url: LINK, ...PAGE }]);
  });

  it.each([
    [
      'cannot be fetched',
      () => Promise.reject(Object.assign(new Error(`no ${LINK}`), { code: 'UNSAFE_URL' })),
    ],
    [
      'breaks the previewer',
      () => {
        throw Object.assign(new Error(`no ${LINK}`), { code: 'UNSAFE_URL' });
      },
    ],
  ])('that %s is logged once, without the link, and the text is sent', async (_, preview) => {
    const { harness, send, previews } = await start('all', preview);
    const { id } = await send(LINK);
    await send(LINK);
    await harness.clock.settle();
    expect(previews()).toEqual([null, null]);
    const lines = harness.logs.filter(({ message }) => message.includes('preview'));
    expect(lines).toMatchObject([{ level: 'info', facts: { messageId: id, code: 'UNSAFE_URL' } }]);
    expect(JSON.stringify(harness.logs)).not.toContain(LINK);
  });

  it('is the same when a text is sent again', async () => {
    let pages = 0;
    const { harness, send, previews } = await start(
      'all',
      async () => ({ ...PAGE, title: `Version ${(pages += 1)}` }),
      { script: { send: async () => ({ kind: 'unknown', reason: 'no response' }) } },
    );
    await send(LINK);
    await harness.clock.advance(20 * SECOND);
    expect(previews()).toEqual(Array.from({ length: 5 }, () => ({ url: LINK, ...PAGE, title: 'Version 1' })));
  });
});

it('a service with previews needs a previewer, unless it sends nothing', async () => {
  await expect(startHarness({ linkPreviews: 'all' })).rejects.toThrow(
    'the option "linkPreviewer" is missing',
  );
  await expect(startHarness({ linkPreviews: 'some' as 'all' })).rejects.toThrow('"linkPreviews" is wrong');
  const roles = { gateway: false };
  await (await startHarness({ linkPreviews: 'all', roles })).trunkline.stop();
});
