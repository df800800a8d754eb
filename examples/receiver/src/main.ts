import { createServer } from 'node:http';
import { createReceiver } from '@trunkline/receiver';
import { nodeHandler } from '@trunkline/receiver/node';
import { describeEvent } from './describe-event.ts';

const secret = process.env['WEBHOOK_SECRET'] ?? '';
const port = Number(process.env['PORT'] ?? 9000);
if (!/^\S+$/.test(secret))
  exitWith('WEBHOOK_SECRET must be the secret that POST /webhooks returned, as in WEBHOOK_SECRET=whsec_...');
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  exitWith('PORT must be a whole number from 0 to 65535.');

// Any path will do: the signature distinguishes the service's requests from others.
const receiver = createReceiver({
  secret,
  on: { '*': (event) => console.log(describeEvent(event)) },
  onRefused: ({ reason, message }) => {
    // The request is from a browser or curl, to see whether the receiver is up.
    if (reason !== 'method_not_allowed') console.error(`refused: ${message}`);
  },
});
const server = createServer(nodeHandler(receiver));
server.on('error', (error) => exitWith(error.message));
server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  console.log(`Receiving at http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());

function exitWith(complaint: string): never {
  console.error(`receiver: ${complaint}`);
  process.exit(1);
}
