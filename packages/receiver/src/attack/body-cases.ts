import { DELIVERY_HEADER, EVENT_HEADER } from '../headers.ts';
import {
  accepted,
  genuine,
  genuineRequest,
  mustBeAccepted,
  mustBeRefused,
  refused,
  type AttackCase,
  type Genuine,
} from './attack-case.ts';
import { attackEvent, requestOf, type RawRequest } from './raw-request.ts';
import type { Crumbs } from './target.ts';

/** More than two sockets can buffer, so a receiver that accepts all these bytes must be reading them. */
const FLOOD_BYTES = 32 * 1024 * 1024;

const CRUMBS: Crumbs = { connections: 8, bytes: 16 * 1024 };

export const BODY_CASES: readonly AttackCase[] = [
  accepted('JSON with white space in it', async ({ sign, parts, text }) =>
    requestOf(await sign(parts.timestamp, JSON.stringify(JSON.parse(text), null, 2))),
  ),
  accepted('a type and fields that are new', async ({ sign, parts }) => {
    const event = { ...attackEvent(), type: 'attack.unknown', extra: { more: [1] } };
    return requestOf(await sign(parts.timestamp, JSON.stringify(event)));
  }),
  accepted('unsigned headers that name another event', ({ parts }) => {
    const request = requestOf(parts);
    const lies = [[EVENT_HEADER, 'message.received'] as const, [DELIVERY_HEADER, 'whd_another'] as const];
    return { ...request, headers: [...request.headers, ...lies] };
  }),
  changed('the same JSON serialised again', ({ text }) => JSON.stringify(JSON.parse(text), null, 1)),
  changed('a body with one letter changed', ({ text }) => text.replace('attack.test', 'attacK.test')),
  changed('a body with a field added', ({ text }) => text.replace(/}$/, ',"extra":1}')),
  changed('a body with a line break added', ({ text }) => `${text}\n`),
  changed('a body cut short', ({ text }) => text.slice(0, -1)),
  changed('an empty body', () => ''),
  changed('a byte order mark before the body', ({ text }) => `\uFEFF${text}`),
  changed('the byte 0xFF where U+FFFD was signed', ({ parts }) =>
    Buffer.from(Buffer.from(parts.body).toString('latin1').replace('\u00EF\u00BF\u00BD', '\u00FF'), 'latin1'),
  ),
  refused('rightly signed, and not JSON', async ({ sign, parts }) =>
    requestOf(await sign(parts.timestamp, '{')),
  ),
  refused('rightly signed, and not an event', async ({ sign, parts }) =>
    requestOf(await sign(parts.timestamp, '[]')),
  ),
  {
    name: 'a body without end',
    run: async (attack) => {
      const response = await attack.target.flood(await genuineRequest(attack), FLOOD_BYTES);
      if (response === 'everything read')
        return { right: false, what: `read all of ${FLOOD_BYTES >> 20} MiB` };
      const right = response === 'closed' || (typeof response === 'number' && response >= 300);
      return { right, what: typeof response === 'number' ? `stopped with ${response}` : response };
    },
  },
  {
    name: 'a timestamp an hour old, and a body that is never sent: refused without it',
    run: async (attack) => {
      const { text } = await genuine(attack);
      const request = requestOf(await attack.sign(`${attack.now - 3600}`, text));
      return mustBeRefused(await attack.target.announce(request));
    },
  },
  {
    name: `${CRUMBS.connections} bodies in chunks of one byte: others are served meanwhile`,
    run: async (attack) => {
      const { parts } = await genuine(attack);
      // A stranger knows only the form of a signature and the time.
      const unsigned = requestOf({ ...parts, signature: `v1=${'0'.repeat(64)}` });
      const other = await genuineRequest(attack);
      return attack.target.crumble(unsigned, CRUMBS, async () =>
        mustBeAccepted(await attack.target.send(other)),
      );
    },
  },
  {
    name: 'a body that never ends to arrive: others are served meanwhile',
    run: async (attack) => {
      const other = await genuineRequest(attack);
      const stalled = await genuineRequest(attack);
      return attack.target.stall(stalled, async () => mustBeAccepted(await attack.target.send(other)));
    },
  },
];

function changed(name: string, change: (genuine: Genuine) => string | Uint8Array): AttackCase {
  return refused(name, (genuine): RawRequest => {
    const body = change(genuine);
    return requestOf({ ...genuine.parts, body: typeof body === 'string' ? Buffer.from(body) : body });
  });
}
