import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROMETHEUS = fileURLToPath(new URL('../../../docs/prometheus', import.meta.url));

it('the alerts pass their tests', async ({ skip }) => {
  if ((await promtool('--version')).failure !== null)
    return skip('this machine has no promtool: apt-get install prometheus');
  const { failure, output } = await promtool('test', 'rules', 'tests/alerts.yml');
  expect(failure, output).toBeNull();
});

async function promtool(...args: readonly string[]): Promise<{ failure: Error | null; output: string }> {
  return new Promise((resolve) => {
    execFile('promtool', args, { cwd: PROMETHEUS }, (failure, stdout, stderr) => {
      resolve({ failure, output: stdout + stderr });
    });
  });
}
