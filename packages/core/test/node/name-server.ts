import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';
import type { Answer } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** The addresses of a name; `broken` means SERVFAIL, `silent` no response, and an empty list NXDOMAIN. */
type Reply = readonly string[] | 'broken' | 'silent';

export interface NameServer {
  /** The server's address, with the port. */
  readonly address: string;
  /** The questions received, as `A name` and `AAAA name`. */
  readonly asked: readonly string[];
  reply(hostname: string, reply: Reply): void;
}

const NXDOMAIN = 3;
const SERVFAIL = 2;

/** Starts a name server on loopback that stops when the test ends. */
export async function startNameServer(): Promise<NameServer> {
  const replies = new Map<string, Reply>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.on('message', (bytes, { port, address }) => {
    const { id, questions = [] } = decode(bytes);
    const [question] = questions;
    if (question === undefined) return;
    const { name, type } = question;
    asked.push(`${type} ${name}`);
    const reply = replies.get(name) ?? [];
    if (reply === 'silent') return;
    const found =
      reply === 'broken' ? [] : reply.filter((one) => type === (one.includes(':') ? 'AAAA' : 'A'));
    const code = reply === 'broken' ? SERVFAIL : reply.length === 0 ? NXDOMAIN : 0;
    // TypeScript cannot tell that A and AAAA records hold addresses.
    const answers = found.map((data) => ({ type, name, ttl: 60, data }) as Answer);
    socket.send(encode({ type: 'response', id: id ?? 0, flags: code, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    reply: (hostname, reply) => void replies.set(hostname, reply),
  };
}
