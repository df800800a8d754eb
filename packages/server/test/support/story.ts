import { createTrunkline, SCOPES, silentLogger } from '@trunkline/core';
import type { Gateway, Notifier, Trunkline, WorkspaceApi } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { SandboxPhone } from '@trunkline/core/sandbox';
import { manualClock, testRuntime } from '@trunkline/core/testing';
import type { ManualClock, RecordingSender } from '@trunkline/core/testing';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { expect, onTestFinished } from 'vitest';
import { listen } from '../../src/http/http-listener.ts';
import { runCommand } from './command-process.ts';
import { steadyIds } from './steady-ids.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;

/** A service whose clock the test controls, with a connected number, and its operator's terminal. */
export interface Story {
  /** Without a trailing slash. */
  readonly url: string;
  readonly trunkline: Trunkline;
  readonly api: WorkspaceApi;
  readonly workspaceId: string;
  readonly clock: ManualClock;
  readonly sender: RecordingSender;
  readonly instance: string;
  readonly phone: SandboxPhone;
  /** Sets whether the messaging network accepts connections. */
  setReachable(isReachable: boolean): void;
  /** Advances the clock by a second, then resolves with the result of the call. */
  during<Reply>(call: Promise<Reply>): Promise<Reply>;
  /** Runs a command against the service, as its operator would, and records its output. */
  run(...args: readonly string[]): Promise<string>;
  /** Like `run`, but records only the first lines, as with `head`. */
  firstLines(count: number, ...args: readonly string[]): Promise<void>;
  /** The commands and their output, with steady ids. */
  recording(): string;
  /** Replaces a text's ids with those of the recording. */
  show(text: string): string;
}

export async function startStory({
  startsAt,
  notifier,
}: {
  readonly startsAt: string;
  readonly notifier: Notifier;
}): Promise<Story> {
  const runtime = testRuntime();
  const clock = manualClock(Date.parse(startsAt));
  const sandbox = createSandbox();
  const network = { isReachable: true };
  const trunkline = createTrunkline({
    ...runtime,
    clock,
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [onNetwork(sandbox.gateway, network)],
    secretKey: 'a secret key of the stories, long enough',
    notifier,
    logger: silentLogger,
  });
  await trunkline.start();
  const during: Story['during'] = async (call) => {
    await clock.advance(SECOND);
    return call;
  };
  onTestFinished(() => during(trunkline.stop()));
  const app = createHttpApp(trunkline, { rateLimit: false });
  const server = await listen({ host: '127.0.0.1', port: 0 }, (request) => app.fetch(request));
  onTestFinished(() => server.close());
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'operator', scopes: SCOPES });
  const terminal = recordedTerminal({ TRUNKLINE_URL: server.url, TRUNKLINE_API_KEY: token });

  const api = trunkline.workspace(workspaceId);
  const { id: instance } = await api.instances.create({ name: 'Front desk' });
  await during(api.instances.connect(instance));
  const phone = sandbox.phone(instance);
  await phone.scan({ phoneNumber: '15550142', profileName: 'Acme' });
  await clock.settle();
  return {
    url: server.url,
    trunkline,
    api,
    workspaceId,
    clock,
    sender: runtime.webhookSender,
    instance,
    phone,
    setReachable(isReachable) {
      network.isReachable = isReachable;
    },
    during,
    ...terminal,
  };
}

/** Simulates a line that can be cut. While the line is cut, new connections fail with a real network's error. */
function onNetwork(gateway: Gateway, network: { readonly isReachable: boolean }): Gateway {
  return {
    ...gateway,
    async open(session, listener, options) {
      if (network.isReachable) return gateway.open(session, listener, options);
      void listener.closed({ kind: 'dropped', detail: 'network_unavailable', networkCode: 'ENETUNREACH' });
      return {
        send: async () => ({ kind: 'unknown', reason: 'the network is out of reach' }),
        async close() {},
        async logout() {
          throw new Error('The network is out of reach.');
        },
      };
    },
  };
}

export function recordedTerminal(
  env: Readonly<Record<string, string>>,
): Pick<Story, 'run' | 'firstLines' | 'recording' | 'show'> {
  const cwd = temporaryDirectory();
  const lines: string[] = [];
  const { show } = steadyIds();
  const printed = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, { cwd, env });
    expect(code, stderr).toBe(0);
    return stdout.trimEnd();
  };
  const record = (typed: string, output: string): void => {
    lines.push(`$ ${show(typed)}`, show(output), '');
  };
  return {
    async run(...args) {
      const output = await printed(args);
      record(`trunkline ${args.join(' ')}`, output);
      return output;
    },
    async firstLines(count, ...args) {
      const output = await printed(args);
      record(`trunkline ${args.join(' ')} | head -n ${count}`, output.split('\n').slice(0, count).join('\n'));
    },
    recording: () => lines.join('\n'),
    show,
  };
}
