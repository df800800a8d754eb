import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { silentLogger } from '@trunkline/core';
import { checkDataFiles } from '../data-files.ts';
import type { DataFiles } from '../data-files.ts';
import { hasWorkspace, storageOn } from '../database.ts';
import { DatabaseSync } from '../node-sqlite.ts';
import { openOnce } from '../open-once.ts';
import { END_ROTATION, findSecretKeys } from '../secret-key.ts';
import type { Settings } from '../settings.ts';
import { complaintsOf, errorCode, reasonOf } from '../start-error.ts';
import { trySecretKey } from '../try-secret-key.ts';
import type { CommandHandler } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { localSettings } from './local-service.ts';

interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warning' | 'fault' | 'skipped';
  /** What was found, in a sentence. */
  readonly says: string;
  /** What to do about it; null if nothing is wrong. */
  readonly mend: string | null;
}

/** What a check found wrong. */
class Fault extends Error {
  readonly mend: string;
  readonly result: 'warning' | 'fault';

  constructor(says: string, mend: string, result: 'warning' | 'fault' = 'fault') {
    super(says);
    this.mend = mend;
    this.result = result;
  }
}

const DAY_MS = 24 * 60 * 60_000;
/** A clock before this is set wrongly: this was written later. */
const EARLIEST = Date.UTC(2026, 10, 1);
const CLOCK_MAX_MS = 60_000;
const LEAST_FREE_BYTES = 200 * 1_048_576;
const REACH_WITHIN_MS = 10_000;

/** Looks at what a server needs on this machine, changes nothing, and says what to do about each fault. */
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
      add({ check, result: 'ok', says, mend: null });
      return value;
    } catch (error) {
      const fault =
        error instanceof Fault ? error : new Fault(complaintsOf(error).join(' '), 'Mend what this says.');
      add({ check, result: fault.result, says: fault.message, mend: fault.mend });
      return null;
    }
  };
  const add = (finding: Finding): void => {
    findings.push(finding);
    const { check, result, says, mend } = finding;
    output.say(
      `${MARKS[result]} ${check.padEnd(10)} ${says}${mend === null ? '' : `\n             ${mend}`}`,
    );
  };
  const skip = (check: string, says: string): void => add({ check, result: 'skipped', says, mend: null });

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

const MARKS: Readonly<Record<Finding['result'], string>> = {
  ok: 'ok     ',
  warning: 'WARNING',
  fault: 'FAULT  ',
  skipped: 'skipped',
};

async function checkDisk({ database, dataDirectory }: Settings): Promise<readonly [string, DataFiles]> {
  const files = await checkDataFiles({
    directory: dataDirectory,
    database: null,
  }).catch((error: unknown) => {
    throw new Fault(
      complaintsOf(error).join(' '),
      'Name another directory with DATA_DIR, or let this user write there.',
    );
  });
  const place = (await access(dataDirectory, constants.F_OK).then(
    () => true,
    () => false,
  ))
    ? dataDirectory
    : dirname(dataDirectory);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const megabytes = `${Math.floor(free / 1_048_576)} MB are free in ${place}`;
  if (free < LEAST_FREE_BYTES)
    throw new Fault(`Only ${megabytes}.`, 'Make room: without it, messages are refused.');
  const { mode } = await stat(place);
  if (process.platform !== 'win32' && (mode & 0o022) !== 0 && place === dataDirectory)
    throw new Fault(
      `Other users of this machine can change what is in ${dataDirectory}.`,
      `Run "chmod go-w ${dataDirectory}".`,
      'warning',
    );
  return [`${megabytes}.`, { ...files, database: database.kind === 'sqlite' ? database.path : null }];
}

/** Returns whether somebody has set it up already. */
async function checkDatabase({ database, dataDirectory }: Settings): Promise<readonly [string, boolean]> {
  if (database.kind === 'postgres') {
    const storage = await storageOn(database);
    try {
      const isInUse = await hasWorkspace(storage, silentLogger);
      return [
        isInUse ? 'PostgreSQL responds.' : 'PostgreSQL responds, and has nothing of Trunkline yet.',
        isInUse,
      ];
    } catch (error) {
      throw new Fault(
        reasonOf(error),
        'Check DATABASE_URL, that the server runs, and that it lets this machine and user in.',
      );
    } finally {
      await storage.close().catch(() => undefined);
    }
  }
  const { path } = database;
  const { hasDatabase } = await checkDataFiles({ directory: dataDirectory, database: path }).catch(
    (error: unknown) => {
      throw new Fault(
        complaintsOf(error).join(' '),
        'Restore it from a backup ("trunkline restore"), or set DATABASE_URL to another file.',
      );
    },
  );
  if (!hasDatabase) return [`There is none at ${path} yet: the first start makes it.`, false];
  const connection = new DatabaseSync(path, { timeout: 2_000 });
  try {
    const [application, found] = ['application_id', 'quick_check'].map(
      (name) => connection.prepare(`PRAGMA ${name}`).get()?.[name],
    );
    if (application !== TRUNKLINE_DATABASE)
      throw new Fault(
        `${path} is a database of another program.`,
        'Set DATABASE_URL or DATA_DIR to another place.',
      );
    if (found !== 'ok')
      throw new Fault(
        `${path} is damaged: ${String(found)}.`,
        'Restore it from a backup: "trunkline restore".',
      );
    connection.exec('BEGIN IMMEDIATE; ROLLBACK');
    return [`${path} is whole, and can be written to.`, true];
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw /locked/.test(reasonOf(error))
      ? new Fault(
          `Another program has locked ${path} for 2 seconds.`,
          'End the program that has it open, such as a shell of sqlite3.',
        )
      : new Fault(
          `${path} cannot be used: ${reasonOf(error)}`,
          'Restore it from a backup ("trunkline restore"), or check its disk.',
        );
  } finally {
    connection.close();
  }
}

/** "trnk", by which SQLite files say whose they are. */
const TRUNKLINE_DATABASE = 0x74726e6b;

async function checkKey(
  settings: Settings,
  files: DataFiles,
  isInUse: boolean,
): Promise<readonly [string, null]> {
  const found = await findSecretKeys(settings, files);
  if (!found) {
    if (!isInUse) return ['There is none yet: the first start makes it.', null];
    throw new Fault(
      `The secret key is missing: ${files.secretKey}`,
      'Put the file back from where you keep it, or set SECRET_KEY: no other key opens this database.',
    );
  }
  if (settings.secretKey === undefined && process.platform !== 'win32') {
    const { mode } = await stat(files.secretKey);
    if ((mode & 0o077) !== 0)
      throw new Fault(
        `Other users of this machine can read ${files.secretKey}.`,
        `Run "chmod 600 ${files.secretKey}".`,
      );
  }
  if (!isInUse) return ['It is there.', null];
  const storage = openOnce(await storageOn(settings.database));
  try {
    await trySecretKey(storage, { secretKey: found.keys, logger: silentLogger });
    if (found.isRotating)
      throw new Fault(
        `A rotation of the secret key has not ended: ${files.nextSecretKey} is there.`,
        `${END_ROTATION.charAt(0).toUpperCase()}${END_ROTATION.slice(1)}.`,
        'warning',
      );
    return ['It fits the database.', null];
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (errorCode(error) !== undefined) throw error;
    throw new Fault(
      reasonOf(error),
      'Set SECRET_KEY, or the key file, to what this database was set up with; while a key is replaced, SECRET_KEY_PREVIOUS too.',
    );
  } finally {
    await storage.close();
  }
}

/** Free, or a server of ours is there already. */
function checkPort({ host, port }: Settings): Promise<readonly [string, null]> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      const code = errorCode(error);
      if (code !== 'EADDRINUSE') {
        reject(
          new Fault(
            `The server cannot listen on ${host}, port ${port} (${code}).`,
            'Set HOST to an address of this machine, and PORT to one from 1024 up.',
          ),
        );
        return;
      }
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
      serverStatus(url).then(
        (status) =>
          status === 'ready'
            ? resolve([`A server runs on ${host}, port ${port}, and is ready.`, null])
            : reject(
                new Fault(
                  `A server runs on ${host}, port ${port}, and is not ready: ${status}.`,
                  'Mend what the other checks find; if they find nothing, its log says why.',
                  'warning',
                ),
              ),
        () => reject(portTaken(host, port)),
      );
    });
    server.listen(port, host, () => server.close(() => resolve([`${host}, port ${port} is free.`, null])));
  });
}

/** What a server of ours says about itself; rejects if it is none. */
async function serverStatus(url: string): Promise<string> {
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(REACH_WITHIN_MS) });
    return /^\{"status":"(\w+)"\}$/.exec(await response.text())?.[1] ?? '';
  };
  if ((await ask('/healthz')) !== 'up') throw new Error('It is another program.');
  return ask('/readyz');
}

function portTaken(host: string, port: number): Fault {
  return new Fault(
    `Another program listens on ${host}, port ${port}.`,
    'End that program, or set another PORT.',
  );
}

/** What the server will have to reach: the network of its gateway, or what --reach names. */
function reachedUrl(named: string | undefined, settings: Settings | null): URL {
  const text =
    named ?? (settings?.gateway === 'baileys' ? 'https://web.whatsapp.com/' : 'https://example.com/');
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url;
  throw usageError('--reach must be a URL like https://hooks.example.com/, without a user name.');
}

async function checkDns({ hostname }: URL): Promise<readonly [string, true]> {
  const name = hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    const { address } = await lookup(name);
    return [`${name} is found (${address}).`, true];
  } catch (error) {
    throw new Fault(
      `${name} is not found (${errorCode(error)}).`,
      'Check the name servers of this machine (/etc/resolv.conf) and its network; without a network, add --offline.',
    );
  }
}

/** Returns the time by the clock of who responded. */
function checkTls(url: URL): Promise<readonly [string, number | null]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'HEAD', timeout: REACH_WITHIN_MS, agent: false }, (response) => {
      response.resume();
      const date = Date.parse(response.headers.date ?? '');
      resolve([`${url.host} responds over TLS.`, Number.isNaN(date) ? null : date]);
    });
    sent.once('timeout', () => sent.destroy(new Error(`no response within ${REACH_WITHIN_MS / 1000} s`)));
    sent.once('error', (error) => {
      const code = errorCode(error) ?? '';
      const isCertificate = /CERT|SELF_SIGNED|ALTNAME|SSL|VERIFY/.test(code);
      reject(
        new Fault(
          `${url.host} cannot be reached over TLS: ${error.message}.`,
          isCertificate
            ? 'Its certificate is not trusted: check the clock; behind a proxy that reads TLS, set NODE_EXTRA_CA_CERTS to its certificate.'
            : 'Let this machine make connections to port 443, through its firewall or proxy; without a network, add --offline.',
        ),
      );
    });
    sent.end();
  });
}

async function checkClock(elsewhere: number | null): Promise<readonly [string, null]> {
  const now = Date.now();
  const mend = 'Set the clock, and let it follow a time server (timedatectl set-ntp true).';
  if (now < EARLIEST) throw new Fault(`The clock says ${new Date(now).toISOString()}, which is past.`, mend);
  if (elsewhere === null)
    return [`It says ${new Date(now).toISOString()}; nobody was there to compare it with.`, null];
  const apart = Math.abs(now - elsewhere);
  if (apart > CLOCK_MAX_MS)
    throw new Fault(
      `The clock is ${apart > DAY_MS ? `${Math.round(apart / DAY_MS)} days` : `${Math.round(apart / 1000)} s`} ${now < elsewhere ? 'behind' : 'ahead'}: receivers refuse webhooks that are signed with it.`,
      mend,
    );
  return ['It agrees with others.', null];
}
