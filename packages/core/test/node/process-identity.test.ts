import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stateOf, thisProcess } from '@trunkline/core/node';
import { until } from '@trunkline/test-support';

/** Starts a shell that is killed when the test ends. Returns the shell with the first line that it prints. */
async function shell(
  script: string,
): Promise<{ readonly child: ChildProcessWithoutNullStreams; readonly line: string }> {
  const child = spawn('sh', ['-c', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { child, line: String(line).trim() };
}

function fieldsOf(pid: number): { readonly state: string | undefined; readonly startedAt: string } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], startedAt: fields[19] ?? '' };
}

describe.runIf(process.platform === 'linux')('a process', () => {
  const own = thisProcess();

  it('has not ended while it runs or is frozen', async () => {
    expect(stateOf(own)).toBe('running');
    const { child } = await shell('echo up; exec sleep 100');
    const pid = child.pid ?? 0;
    const identity = { ...own, pid, startedAt: fieldsOf(pid).startedAt };
    expect(stateOf(identity)).toBe('running');
    child.kill('SIGSTOP');
    await until('it is frozen', () => fieldsOf(pid).state === 'T');
    expect(stateOf(identity)).toBe('running');
  });

  it('has ended once it is gone', async () => {
    const { child } = await shell('echo up; exec sleep 100');
    const pid = child.pid ?? 0;
    const { startedAt } = fieldsOf(pid);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(stateOf({ ...own, pid, startedAt })).toBe('ended');
  });

  it('has ended even if its exit code was not fetched', async () => {
    // `sleep` replaces the shell before the child ends, and never fetches the child's exit code.
    const { child, line } = await shell('exec 3<&0; (read line <&3) & echo $!; exec sleep 100');
    await until(
      'the sleep has replaced the shell',
      () => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n',
    );
    child.stdin.end();
    const pid = Number(line);
    await until('it has ended', () => fieldsOf(pid).state === 'Z');
    expect(stateOf({ ...own, pid, startedAt: fieldsOf(pid).startedAt })).toBe('ended');
  });

  it('has ended if another one has its number, as far as its start is known', () => {
    expect(stateOf({ ...own, startedAt: '1' })).toBe('ended');
    expect(stateOf({ ...own, startedAt: '' })).toBe('running');
  });

  it('is not known if it is of another machine or container', () => {
    const gone = { ...own, startedAt: '1' };
    expect(stateOf({ ...gone, machine: 'another' })).toBe('unknown');
    expect(stateOf({ ...gone, namespace: 'pid:[1] time:[1]' })).toBe('unknown');
  });
});
