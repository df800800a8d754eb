import { pino, destination } from 'pino';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { startNetwork } from './network-server.ts';

const logger = pino({ level: process.env['LOG_LEVEL'] ?? 'info' }, destination({ dest: 2, sync: true }));
const network = await startNetwork(Number(process.env['NETWORK_PORT'] ?? 0), {
  clock: systemClock(),
  random: systemRandom(),
  logger,
});
console.log(`The sandbox network is at ${network.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
// The parent process is gone.
process.on('disconnect', () => process.exit(0));
