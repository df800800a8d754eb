import { createServer } from 'node:net';
import type { Settings } from '../settings/settings.ts';
import { errorCode } from '../errors/start-error.ts';
import { Fault } from './fault.ts';

const RESPONDS_WITHIN_MS = 10_000;

/** Passes if the port is free, or has a Trunkline server that is ready. */
export function checkPort({ host, port }: Settings): Promise<readonly [string, null]> {
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
                  'Fix what the other checks find; if they find nothing, its log says why.',
                  'warning',
                ),
              ),
        () => reject(portTaken(host, port)),
      );
    });
    server.listen(port, host, () => server.close(() => resolve([`${host}, port ${port} is free.`, null])));
  });
}

/** Returns the readiness that a Trunkline server reports. Rejects for any other program. */
async function serverStatus(url: string): Promise<string> {
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(RESPONDS_WITHIN_MS) });
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
