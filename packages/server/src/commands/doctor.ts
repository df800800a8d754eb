import { checkDatabase } from '../doctor/check-database.ts';
import { checkDisk } from '../doctor/check-disk.ts';
import { checkKey } from '../doctor/check-key.ts';
import { checkClock, checkDns, checkTls } from '../doctor/check-network.ts';
import { checkPort } from '../doctor/check-port.ts';
import { Fault } from '../doctor/fault.ts';
import { OFFERED_NETWORKS } from '../settings/network-list.ts';
import type { Settings } from '../settings/settings.ts';
import { complaintsOf } from '../errors/start-error.ts';
import type { CommandHandler } from './command.ts';
import { CommandError, usageError } from '../errors/command-error.ts';
import { localSettings } from './local-service.ts';
import type { Toned } from '../terminal/styled-text.ts';

interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly says: string;
  /** The remedy; null if the check passed or was skipped. */
  readonly remedy: string | null;
}

/** Checks what a server needs on this machine, changes nothing, and names a remedy for each fault found. */
export const doctorCommand: CommandHandler = async (call) => {
  const { output, options } = call;
  const findings: Finding[] = [];
  const look = async <Value>(
    check: string,
    how: () => Promise<readonly [string, Value]>,
  ): Promise<Value | null> => {
    output.progress(`checking: ${check}`);
    call.signal.throwIfAborted();
    try {
      const [says, value] = await how();
      add({ check, result: 'ok', says, remedy: null });
      return value;
    } catch (error) {
      const fault =
        error instanceof Fault ? error : new Fault(complaintsOf(error).join(' '), 'Fix what this says.');
      add({ check, result: fault.result, says: fault.message, remedy: fault.remedy });
      return null;
    }
  };
  const add = (finding: Finding): void => {
    findings.push(finding);
    const { check, result, says, remedy } = finding;
    output.say([
      MARKS[result],
      ` ${check.padEnd(10)} ${says}${remedy === null ? '' : `\n             ${remedy}`}`,
    ]);
  };
  const skip = (check: string, says: string): void => add({ check, result: 'skipped', says, remedy: null });

  await look('node', async () => [
    `Node.js ${process.versions.node}, SQLite ${process.versions.sqlite ?? 'is missing'}.`,
    null,
  ]);
  const settings = await look('settings', async () => ['They are valid.', await localSettings(call)]);
  if (settings) {
    const files = await look('disk', () => checkDisk(settings));
    const isUsable = files && (await look('database', () => checkDatabase(settings)));
    if (files && isUsable !== null) await look('key', () => checkKey(settings, files, isUsable));
    else skip('key', 'It can be tried once the database can be used.');
    await look('port', () => checkPort(settings));
  } else for (const check of ['disk', 'database', 'key', 'port']) skip(check, 'It needs valid settings.');

  if (options.flag('offline'))
    for (const check of ['dns', 'tls', 'clock']) skip(check, '--offline leaves it out.');
  else {
    const url = reachedUrl(options.text('reach'), settings);
    const found = await look('dns', () => checkDns(url));
    const date = found === null ? null : await look('tls', () => checkTls(url));
    if (found === null) skip('tls', 'It needs a name that is found.');
    await look('clock', () => checkClock(date));
  }
  if (output.isJson) output.result({ data: findings }, '');
  const faults = findings.filter(({ result }) => result === 'fault');
  if (faults.length > 0)
    throw new CommandError(
      `${faults.length} ${faults.length === 1 ? 'check found a fault' : 'checks found faults'}: ${faults.map(({ check }) => check).join(', ')}.`,
      { code: 'FAULTS_FOUND' },
    );
  output.say('\nNothing is in the way of a server.');
};

const MARKS: Readonly<Record<Finding['result'], string | Toned>> = {
  ok: { tone: 'good', text: 'ok     ' },
  warning: { tone: 'waiting', text: 'WARNING' },
  fault: { tone: 'bad', text: 'FAULT  ' },
  skipped: 'skipped',
};

/**
 * Returns the URL that the server must reach: the value of --reach, by default an address of one of the networks, otherwise
 * example.com.
 */
function reachedUrl(named: string | undefined, settings: Settings | null): URL {
  const [reached = 'https://example.com/'] = (settings?.gateways ?? []).flatMap(
    (name) => OFFERED_NETWORKS[name].reaches ?? [],
  );
  const text = named ?? reached;
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url;
  throw usageError('--reach must be a URL like https://hooks.example.com/, without a user name.');
}
