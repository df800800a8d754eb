import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';
import { describe, expect, it } from 'vitest';
import { runCommand, startCommand } from '../support/command-process.ts';
import type { CommandResult } from '../support/command-process.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { API_KEY, testClient } from '../support/test-client.ts';

const PRELOAD = new URL('../support/signal-at-step.ts', import.meta.url).href;

function signalAt(signal: NodeJS.Signals, step: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${PRELOAD}`, SIGNAL_AT_STEP: `${signal} ${step}` };
}

let used: Promise<string> | undefined;

async function usedFolder(): Promise<string> {
  const copy = temporaryDirectory();
  cpSync(await (used ??= useFolder()), copy, { recursive: true });
  return copy;
}

async function useFolder(): Promise<string> {
  const cwd = temporaryDirectory();
  const server = await startServer({
    env: { DATA_DIR: join(cwd, 'data'), API_KEY, WEBHOOK_URL_POLICY: 'local' },
    cwd,
  });
  const client = testClient(server.url);
  const { id: instance } = await client.createInstance();
  await client.connect(instance);
  await client.sendFile({ instance, content: 'kept with the message' });
  await client.registerWebhook('http://127.0.0.1:9/', ['message.failed']);
  await server.stop();
  return cwd;
}

/** The test tries one step in this many. */
const EVERY = sized('KILL_EVERY', { short: 16, long: 1 });

/**
 * Runs the command in a copy of the folder for every `EVERY`th step, beginning at a random step: kills the command
 * before the step, and checks the result. Resolves with the number of steps, or a few more.
 */
async function killedAtEachStep(
  args: readonly string[],
  { folder, random }: { readonly folder: string | null; readonly random: RandomNumber },
  look: (cwd: string, step: number) => Promise<void>,
): Promise<number> {
  for (let step = 1 + random(EVERY); ; step += EVERY) {
    const cwd = temporaryDirectory();
    if (folder !== null) cpSync(folder, cwd, { recursive: true });
    const { code, stderr } = await runCommand(args, { cwd, env: signalAt('SIGKILL', String(step)) });
    if (code !== 'SIGKILL') {
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      return step - 1;
    }
    await look(cwd, step);
    rmSync(cwd, { recursive: true });
  }
}

/** Checks that only their owner can read the files. */
function filesBelow(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(directory, name)).isFile());
  for (const name of files)
    expect({ name, mode: statSync(join(directory, name)).mode & 0o077 }).toEqual({ name, mode: 0 });
  return files.toSorted();
}

function keyIn(cwd: string): string {
  return readFileSync(join(cwd, 'data', 'secret.key'), 'utf8');
}

async function expectOpens(cwd: string, ...more: readonly string[]): Promise<void> {
  const opened = await runCommand(['rotate-secret-key', '--yes', ...more], { cwd });
  expect(opened, 'every secret can be opened, and sealed again').toMatchObject({ code: 0 });
}

describe('A command that is killed before any of its steps on disk', { timeout: 600_000 }, () => {
  it.runIf(isLongForm)(
    'leaves no draft with a key behind: rotate-secret-key finishes the rotation, and cleans up',
    async (context) => {
      const folder = await usedFolder();
      const former = keyIn(folder);
      const given = { folder, random: randomInTest(context) };
      const steps = await killedAtEachStep(['rotate-secret-key', '--yes'], given, async (cwd) => {
        const isEnded = keyIn(cwd) !== former;
        const again = await runCommand(['rotate-secret-key', '--yes'], { cwd });
        expect(again).toMatchObject({ code: 0 });
        const names = filesBelow(join(cwd, 'data')).filter((name) => name.startsWith('secret.key'));
        const shown = names.map((name) => name.replace(/former-[0-9a-f]{8}$/, 'former'));
        const kept = isEnded ? ['secret.key.former', 'secret.key.former'] : ['secret.key.former'];
        expect(shown).toEqual(['secret.key', ...kept]);
        const keys = names.map((name) => readFileSync(join(cwd, 'data', name), 'utf8'));
        expect(keys).toContain(former);
        await expectOpens(cwd);
      });
      expect(steps).toBeGreaterThan(6);
    },
  );

  it.runIf(isLongForm)('leaves a folder in which a server starts, without drafts: init', async (context) => {
    const given = { folder: null, random: randomInTest(context) };
    const steps = await killedAtEachStep(['init', '--port', '0'], given, async (cwd) => {
      const again = await runCommand(['init', '--port', '0'], { cwd });
      if (again.code !== 0) expect(again.stderr).toContain('trunkline.toml already exists');
      const server = await startServer({ env: {}, cwd });
      expect(await server.stop()).toBe(0);
      expect(filesBelow(cwd).filter((name) => name.endsWith('.part'))).toEqual([]);
    });
    expect(steps).toBeGreaterThan(10);
  });

  it('leaves a backup that the same command completes: backup', async (context) => {
    const folder = await usedFolder();
    const given = { folder, random: randomInTest(context) };
    const steps = await killedAtEachStep(['backup', 'b'], given, async (cwd) => {
      const again = await runCommand(['backup', 'b'], { cwd });
      if (again.code !== 0) expect(again.stderr).toContain('has a complete backup');
      const restored = await runCommand(['restore', 'b', '--data-dir', 'restored'], { cwd });
      expect(restored, 'which tries the key, too').toMatchObject({ code: 0 });
      expect(filesBelow(join(cwd, 'b')).filter((name) => !name.startsWith('media/'))).toEqual(
        again.code === 0
          ? ['backup.json', 'trunkline.db']
          : expect.arrayContaining(['backup.json', 'trunkline.db']),
      );
    });
    expect(steps).toBeGreaterThan(20);
  });

  it.runIf(isLongForm)(
    'leaves no export that looks complete, and names the folder to remove: export',
    async (context) => {
      const folder = await usedFolder();
      const command = ['export', '--number', '15550100', '--to', 'person'];
      const given = { folder, random: randomInTest(context) };
      const steps = await killedAtEachStep(command, given, async (cwd) => {
        const [whole, part] = [join(cwd, 'person'), join(cwd, 'person.part')];
        if (!existsSync(whole)) {
          const again = await runCommand(command, { cwd });
          expect(again).toMatchObject(
            existsSync(part)
              ? {
                  code: 1,
                  stderr: `trunkline: ${part} belongs to an export that was killed or is still running: remove it if none is running.\n`,
                }
              : { code: 0 },
          );
          if (existsSync(part)) {
            rmSync(part, { recursive: true });
            expect(await runCommand(command, { cwd })).toMatchObject({ code: 0 });
          }
        }
        const files = filesBelow(whole);
        expect(files.map((name) => name.replace(/msg_\w+/, 'msg'))).toEqual([
          'actions.jsonl',
          'contacts.jsonl',
          'events.jsonl',
          'media/msg.txt',
          'messages.jsonl',
          'votes.jsonl',
        ]);
        const messages = readFileSync(join(whole, 'messages.jsonl'), 'utf8').trimEnd().split('\n');
        expect(messages.map((line) => JSON.parse(line))).toMatchObject([{ to: '15550100', file: files[3] }]);
      });
      expect(steps).toBeGreaterThan(6);
    },
  );

  it('leaves no directory that a server would treat as new, and the same command completes it: restore', async (context) => {
    const folder = await usedFolder();
    expect(await runCommand(['backup', 'b'], { cwd: folder })).toMatchObject({ code: 0 });
    const restore = ['restore', 'b', '--data-dir', 'restored'];
    const given = { folder, random: randomInTest(context) };
    const steps = await killedAtEachStep(restore, given, async (cwd) => {
      const target = join(cwd, 'restored');
      const isWhole = existsSync(join(target, 'trunkline.db')) && !existsSync(join(target, 'restore.json'));
      const hasBegun = existsSync(join(target, 'restore.json'));
      if (hasBegun)
        expect((await runCommand(['doctor', '--offline', '--data-dir', target], { cwd })).stdout).toContain(
          'a restore into it has not ended',
        );
      const again = await runCommand(restore, { cwd });
      if (isWhole) expect(again.stderr).toContain('would be overwritten');
      else expect(again).toMatchObject({ code: 0 });
      filesBelow(target);
      if (isWhole) await expectOpens(cwd, '--data-dir', 'restored');
    });
    expect(steps).toBeGreaterThan(15);
  });
});

describe('Two concurrent commands', () => {
  /**
   * Pauses a command before a step, and checks that a second command is refused. Then the first command continues, or
   * is killed and the second one does the work.
   */
  async function secondIsRefused(
    args: readonly string[],
    { folder, step, refusal }: { folder: string; step: string; refusal: string },
  ): Promise<void> {
    for (const end of isLongForm ? (['SIGCONT', 'SIGKILL'] as const) : (['SIGCONT'] as const)) {
      const cwd = temporaryDirectory();
      cpSync(folder, cwd, { recursive: true });
      const first = startCommand(args, { cwd, env: signalAt('SIGSTOP', step) });
      await first.printed(/^at the step$/m);
      const second: CommandResult = await runCommand(args, { cwd });
      expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(refusal) });
      first.signal(end);
      if (end === 'SIGCONT')
        expect({ code: await first.ended, said: first.stderr() }).toMatchObject({ code: 0 });
      else {
        await first.ended;
        expect(await runCommand(args, { cwd })).toMatchObject({ code: 0 });
      }
      await expectOpens(cwd);
    }
  }

  it.runIf(isLongForm)(
    'rotate-secret-key: the second is refused, and a key that was in use is never lost',
    async () => {
      const folder = await usedFolder();
      await secondIsRefused(['rotate-secret-key', '--yes'], {
        folder,
        step: 'rename:data/secret.key.next',
        refusal: 'Another "trunkline rotate-secret-key" is running in data: wait until it has ended.',
      });
    },
  );

  it('backup: the second is refused, and the first is not disturbed', async () => {
    const folder = await usedFolder();
    await secondIsRefused(['backup', 'b'], {
      folder,
      step: 'trunkline.db.part',
      refusal: 'wait until it has ended, or name another directory.',
    });
  });

  it.runIf(isLongForm)('restore: the second is refused, and the first is not disturbed', async () => {
    const folder = await usedFolder();
    expect(await runCommand(['backup', 'b'], { cwd: folder })).toMatchObject({ code: 0 });
    await secondIsRefused(['restore', 'b', '--data-dir', 'restored'], {
      folder,
      step: 'restored/trunkline.db.part',
      refusal: 'Another "trunkline restore" writes to restored: wait until it has ended',
    });
  });
});
