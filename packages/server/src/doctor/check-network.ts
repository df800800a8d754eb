import { lookup } from 'node:dns/promises';
import { request } from 'node:https';
import { errorCode } from '../errors/start-error.ts';
import { Fault } from './fault.ts';

const REACH_WITHIN_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;
/** A clock before this date is wrong, because this code is newer. */
const EARLIEST = Date.UTC(2026, 10, 1);
const CLOCK_MAX_MS = 60_000;

export async function checkDns({ hostname }: URL): Promise<readonly [string, true]> {
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

/** Returns the finding, and the time from the server's Date header; null if it has none. */
export function checkTls(url: URL): Promise<readonly [string, number | null]> {
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

export async function checkClock(elsewhere: number | null): Promise<readonly [string, null]> {
  const now = Date.now();
  const remedy = 'Set the clock, and let it follow a time server (timedatectl set-ntp true).';
  if (now < EARLIEST)
    throw new Fault(`The clock says ${new Date(now).toISOString()}, which is past.`, remedy);
  if (elsewhere === null)
    return [`It says ${new Date(now).toISOString()}; nobody was there to compare it with.`, null];
  const apart = Math.abs(now - elsewhere);
  if (apart > CLOCK_MAX_MS)
    throw new Fault(
      `The clock is ${apart > DAY_MS ? `${Math.round(apart / DAY_MS)} days` : `${Math.round(apart / 1000)} s`} ${now < elsewhere ? 'behind' : 'ahead'}: receivers refuse webhooks that are signed with it.`,
      remedy,
    );
  return ['It agrees with others.', null];
}
