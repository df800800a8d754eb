import { createServer } from 'node:http';
import { createClient } from '@trunkline/http/client';
import { nodeHandler } from '@trunkline/receiver/node';
import type { Context, Form } from './form.ts';
import { createForwarder } from './forward.ts';
import { evolutionForm } from './forms/evolution.ts';
import { openwaForm } from './forms/openwa.ts';
import { wahaForm } from './forms/waha.ts';

const { env } = process;
const url = required('FORWARD_TO', 'the URL of the consumer, as in FORWARD_TO=http://localhost:3000/webhook');
const secret = required(
  'WEBHOOK_SECRET',
  'the secret that POST /webhooks returned, as in WEBHOOK_SECRET=whsec_…',
);
const trunkline = required(
  'TRUNKLINE_URL',
  'the address of the service, as in TRUNKLINE_URL=http://127.0.0.1:8080',
);
const apiKey = required('TRUNKLINE_API_KEY', 'an API key with the scope instances:write, for QRs');
const port = Number(env['PORT'] ?? 9000);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  exitWith('PORT must be a whole number from 0 to 65535.');

const baseUrl = `${trunkline.replace(/\/$/, '')}/api/v1`;
const client = createClient({ baseUrl, apiKey });
const events = list(env['EVENTS']);
const sessions = new Map(pairs(env['SESSIONS'], '='));
const context: Context = {
  sessionOf: (instanceId) => sessions.get(instanceId) ?? instanceId,
  mediaUrlOf: (messageId) => `${baseUrl}/messages/${messageId}/media`,
  readQr: async (instanceId) => {
    const result = await client.instances.qr(instanceId);
    if (!result.ok) {
      if (result.error.code === 'QR_NOT_AVAILABLE' || result.error.code === 'INSTANCE_NOT_FOUND') return null;
      throw new Error(`The QR of ${instanceId} cannot be read: ${result.error.message}`);
    }
    return { code: result.data.code, svg: result.data.svg, pairingCode: result.data.pairing_code };
  },
};

const receiver = createForwarder({
  secret,
  form: chooseForm(),
  context,
  url,
  ...(events.length === 0 ? {} : { events }),
  headers: Object.fromEntries(pairs(env['FORWARD_HEADERS'], ':')),
  onError: (error) => console.error(error instanceof Error ? error.message : error),
});
const server = createServer(nodeHandler(receiver));
server.on('error', (error) => exitWith(error.message));
server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  console.log(
    `Forwarding from http://127.0.0.1:${typeof address === 'object' ? address?.port : port} to ${url}`,
  );
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());

function chooseForm(): Form {
  switch (env['FORM']) {
    case 'waha':
      return wahaForm({ hmacKey: env['FORWARD_SECRET'] });
    case 'evolution':
      return evolutionForm({ destination: url, serverUrl: trunkline, byEvents: env['BY_EVENTS'] === 'on' });
    case 'openwa':
      return openwaForm({ secret: env['FORWARD_SECRET'] });
    default:
      return exitWith('FORM must be waha, evolution or openwa.');
  }
}

/** Reads pairs such as `a=1,b=2`, where `separator` is `=`. */
function pairs(text: string | undefined, separator: string): readonly (readonly [string, string])[] {
  return list(text).map((part) => {
    const [name = '', ...rest] = part.split(separator);
    return [name.trim(), rest.join(separator).trim()] as const;
  });
}

/**
 * Reads a list such as `a, b`. Returns an empty list for an empty text, because a variable in a settings file may be
 * empty.
 */
function list(text = ''): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function required(name: string, meaning: string): string {
  const value = env[name];
  return value === undefined || value === '' ? exitWith(`${name} is missing: ${meaning}.`) : value;
}

function exitWith(complaint: string): never {
  console.error(`coming-from: ${complaint}`);
  process.exit(1);
}
