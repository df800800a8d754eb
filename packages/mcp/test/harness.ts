import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { createTrunkline, SCOPES } from '@trunkline/core';
import type { Logger, NewApiKey, Trunkline, TrunklineOptions } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import type { ManualClock, RecordingSender } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { onTestFinished } from 'vitest';
import { createMcp } from '../src/index.ts';
import type { McpOptions } from '../src/index.ts';

/** A service in memory with its MCP server, on a manual clock. Clients reach it without a socket. */
export interface Service {
  readonly trunkline: Trunkline;
  readonly clock: ManualClock;
  readonly sandbox: Sandbox;
  readonly receivers: RecordingSender;
  readonly lines: LogLine[];
  /** A workspace, and a key with every scope. */
  readonly workspaceId: string;
  readonly token: string;
  newKey(key?: Partial<NewApiKey>): Promise<{ readonly id: string; readonly token: string }>;
  /** By default, in the workspace above. */
  connected(workspaceId?: string): Promise<string>;
  mcp(options?: McpOptions): Served;
  during<Value>(call: Promise<Value>): Promise<Value>;
}

interface Served {
  client(options?: { readonly token?: string; readonly mode?: 'legacy' | 'auto' }): Promise<Model>;
  post(request: RawRequest): Promise<Response>;
}

interface RawRequest {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Model {
  readonly client: Client;
  tools(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  refused(name: string, args?: Record<string, unknown>): Promise<string>;
}

interface LogLine {
  readonly level: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const ORIGIN = 'http://127.0.0.1:8080';

export async function startService(given: Partial<TrunklineOptions> = {}): Promise<Service> {
  const runtime = testRuntime();
  const { clock, webhookSender: receivers } = runtime;
  const sandbox = createSandbox();
  const lines: LogLine[] = [];
  const trunkline = createTrunkline({
    ...runtime,
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [sandbox.gateway],
    secretKey: 'a secret key of the tests, long enough',
    urlPolicy: 'local',
    logger: recordIn(lines),
    ...given,
  });
  await trunkline.start();
  const during: Service['during'] = async (call) => {
    await clock.advance(1_000);
    return call;
  };
  onTestFinished(() => during(trunkline.stop()));
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const newKey: Service['newKey'] = async (key) => {
    const { token, apiKey } = await trunkline.admin.apiKeys.create({
      workspaceId,
      name: 'model',
      scopes: SCOPES,
      ...key,
    });
    return { id: apiKey.id, token };
  };
  const { token } = await newKey();
  return {
    trunkline,
    clock,
    sandbox,
    receivers,
    lines,
    workspaceId,
    token,
    newKey,
    during,
    async connected(owner = workspaceId) {
      const { instances } = trunkline.workspace(owner);
      const { id } = await instances.create({ name: 'Support' });
      await during(instances.connect(id));
      await sandbox.phone(id).scan({ phoneNumber: '15550100', profileName: 'Ada' });
      await clock.settle();
      return id;
    },
    mcp: (options) => serve(createMcp(trunkline, { now: () => clock.now(), ...options }).fetch, token),
  };
}

function serve(fetch: (request: Request) => Promise<Response>, ownToken: string): Served {
  return {
    post: ({ url = `${ORIGIN}/mcp`, headers, ...init }) =>
      fetch(
        new Request(url, {
          method: 'POST',
          ...init,
          headers: {
            Authorization: `Bearer ${ownToken}`,
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            ...headers,
          },
        }),
      ),
    async client({ token = ownToken, mode = 'auto' } = {}) {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
      const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
        fetch: (url, init) => fetch(new Request(url, init)),
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
      await client.connect(transport);
      onTestFinished(() => client.close());
      return modelOn(client);
    },
  };
}

function modelOn(client: Client): Model {
  const callTool = (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args });
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const result = await callTool(name, args);
      if (result.isError === true) throw new Error(textOf(result));
      return result.structuredContent as Record<string, unknown>; // the client has checked it by the tool's schema
    },
    async refused(name, args = {}) {
      const result = await callTool(name, args);
      if (result.isError !== true) throw new Error(`${name} was not refused`);
      return textOf(result);
    },
  };
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function recordIn(lines: LogLine[]): Logger {
  const record =
    (level: string) =>
    (facts: LogLine['facts'], message: string): void => {
      lines.push({ level, facts, message });
    };
  return { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
}
