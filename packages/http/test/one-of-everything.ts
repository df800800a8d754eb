import type { Gateway } from '@trunkline/core';
import type { GroupOutcome } from '@trunkline/core/spi/gateway';
import { createSandbox } from '@trunkline/core/sandbox';
import { memoryMediaStore } from '@trunkline/core/testing';
import { must } from '@trunkline/test-support';
import type { Call, Seen } from './client.ts';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
const PARTS = { to: '15550100', type: 'image' };

export interface Harness {
  readonly service: Service;
  readonly workspaceId: string;
  readonly call: Call;
  readonly ids: Readonly<
    Record<'instance' | 'group' | 'message' | 'webhook' | 'delivery' | 'event' | 'contact', string>
  >;
  /** Replaces the parameters of a path with the ids. */
  readonly at: (path: string) => string;
  readonly send: (changes?: object, headers?: Readonly<Record<string, string>>) => Promise<Seen>;
  readonly sendFile: (bytes?: Uint8Array, type?: string) => Promise<Seen>;
  /** `true` stops the network's responses to calls, to closing a connection and to logging a number out. */
  readonly cutOff: (isCutOff: boolean) => void;
  /** Makes the network answer all requests about groups in this way. */
  readonly answerGroups: (outcome: GroupOutcome) => void;
}

export async function oneOfEverything(options: Parameters<typeof startService>[0] = {}): Promise<Harness> {
  const line = cuttableLine();
  const sandbox = createSandbox();
  const gateway = behind(line, sandbox.gateway);
  const gateways = [gateway, createSandbox({ linkedBy: 'credentials' }).gateway];
  const service = await startService({ media: memoryMediaStore(), sandbox, gateways, ...options });
  const { id: workspaceId, call } = await service.newWorkspace();
  const instance = await service.connected(call);
  const send: Harness['send'] = (changes, headers = {}) =>
    call('POST', '/messages', {
      json: { instance, to: '15550100', type: 'text', text: 'hi', ...changes },
      headers,
    });
  const sendFile: Harness['sendFile'] = (bytes = PNG, type = 'image') => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...PARTS, instance, type })) form.append(name, value);
    form.append('file', new File([bytes.slice()], 'a.png'));
    return call('POST', '/messages', { body: form });
  };
  const message = idOf((await sendFile()).json);
  const endpoint = { url: 'https://hooks.example.com/', events: ['message.sent'] };
  const webhook = idOf((await call('POST', '/webhooks', { json: endpoint })).json);
  const delivery = idOf((await call('POST', `/webhooks/${webhook}/test`)).json);
  await service.clock.advance(1_000);
  const event = firstOf((await call('GET', `/messages/${message}/events`)).text);
  await service.during(sandbox.phone(instance).receive({ from: '15550123', text: 'Hello' }));
  const { messages } = service.trunkline.workspace(workspaceId);
  const { data: inbound } = await messages.list({ direction: 'inbound' });
  const contact = must(inbound[0]?.contact).id;
  const group = firstOf((await call('GET', `/instances/${instance}/groups`)).text);
  const ids = { instance, group, message, webhook, delivery, event, contact };
  const byKind: Readonly<Record<string, string>> = ids;
  return {
    service,
    workspaceId,
    call,
    ids,
    at: (path) => path.replaceAll(/\{(\w+)\}/g, (_, kind: string) => byKind[kind] ?? ''),
    send,
    sendFile,
    cutOff: line.cut,
    answerGroups: line.answerGroups,
  };
}

/** The id of the first row of a list. */
export function firstOf(page: string): string {
  const { data } = JSON.parse(page) as { readonly data: readonly { readonly id: string }[] }; // the response is a list
  return data[0]?.id ?? '';
}

interface Line {
  readonly up: () => Promise<void>;
  readonly cut: (isCut: boolean) => void;
  readonly answerGroups: (outcome: GroupOutcome) => void;
  readonly groupOutcome: () => GroupOutcome | null;
}

function cuttableLine(): Line {
  let { promise, resolve } = Promise.withResolvers<void>();
  resolve();
  let groupOutcome: GroupOutcome | null = null;
  return {
    groupOutcome: () => groupOutcome,
    answerGroups(outcome) {
      groupOutcome = outcome;
    },
    up: () => promise,
    cut(isCut) {
      resolve();
      if (isCut) ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}

function behind(line: Line, gateway: Gateway): Gateway {
  return {
    ...gateway,
    unlink: (session) => line.up().then(() => gateway.unlink(session)),
    async open(session, listener) {
      const connection = await gateway.open(session, listener);
      return {
        ...connection,
        answerPasskey: async (answer) => {
          await line.up();
          await connection.answerPasskey?.(answer);
        },
        showTyping: async (...shown) => {
          await line.up();
          await connection.showTyping?.(...shown);
        },
        lookUp: async (numbers) => {
          await line.up();
          return (await connection.lookUp?.(numbers)) ?? [];
        },
        setBlocked: async (...given) => {
          await line.up();
          await connection.setBlocked?.(...given);
        },
        manageGroup: async (request) => {
          await line.up();
          return line.groupOutcome() ?? (await connection.manageGroup?.(request)) ?? { kind: 'done' };
        },
        close: () => line.up().then(() => connection.close()),
        logout: () => line.up().then(() => connection.logout()),
      };
    },
  };
}
