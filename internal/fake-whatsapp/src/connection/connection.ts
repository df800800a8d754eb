import { decodeBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import type { WAVersion, proto } from '@whiskeysockets/baileys';
import type { WebSocket } from 'ws';
import { versionIn } from '../client-versions.ts';
import type { Network } from '../network.ts';
import { Deframer, frame } from '../noise/deframer.ts';
import { NoiseResponder } from '../noise/responder.ts';
import { SERVER, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Companion } from '../directory/linked-account.ts';
import type { Line } from '../directory/inbox.ts';

export interface Behaviour {
  /** Registers the client or logs it in, after the handshake. */
  begin(connection: Connection, payload: proto.ClientPayload): void;
  handle(connection: Connection, node: Stanza): Promise<void>;
  end(connection: Connection): void;
}

type State = 'hello' | 'finish' | 'open' | 'over';

export class Connection implements Line {
  readonly number: number;
  readonly network: Network;
  /** Set by the login. */
  companion: Companion | undefined;
  readonly #socket: WebSocket;
  readonly #behaviour: Behaviour;
  readonly #noise: NoiseResponder;
  readonly #deframer = new Deframer();
  #clientKey: Buffer | undefined;
  #version: WAVersion = [0, 0, 0];
  #state: State = 'hello';
  #frozen = false;
  #work: Promise<void> = Promise.resolve();

  constructor(number: number, socket: WebSocket, network: Network, behaviour: Behaviour) {
    this.number = number;
    this.network = network;
    this.#socket = socket;
    this.#behaviour = behaviour;
    const { serverKey, authority } = network;
    this.#noise = new NoiseResponder(serverKey, authority.chainFor(serverKey.public));
    socket.on('message', (data: Buffer) => {
      this.#work = this.#work.then(() => this.#receive(data));
    });
    socket.on('close', () => behaviour.end(this));
    // Some tests reset the socket on purpose; 'close' follows.
    socket.on('error', () => {});
  }

  /** The client's Noise key, by which the server recognises it. */
  get clientKey(): Buffer {
    if (this.#clientKey === undefined) throw new Error('the handshake is not over');
    return this.#clientKey;
  }

  /** The version of WhatsApp Web that the client claims to be. */
  get version(): WAVersion {
    return this.#version;
  }

  /** The routing token from an earlier connection, which leads the client to the same place. */
  get routing(): Buffer | undefined {
    return this.#deframer.routing;
  }

  get client(): Companion {
    if (this.companion === undefined) throw new Error('a stanza before the login');
    return this.companion;
  }

  send(node: Stanza): void {
    if (this.#state !== 'open' || this.#frozen || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#note('sent', node);
    this.#socket.send(frame(this.#noise.seal(encodeBinaryNode(node))));
  }

  reply(query: Stanza, content?: Stanza[]): void {
    this.send(stanza('iq', { ...this.#responseTo(query), type: 'result' }, content));
  }

  refuse(query: Stanza, code: number, text: string): void {
    const error = stanza('error', { code: String(code), text });
    this.send(stanza('iq', { ...this.#responseTo(query), type: 'error' }, [error]));
  }

  /**
   * Sends the last stanza, after which the client closes the connection. Anything that the client still sends is
   * ignored.
   */
  sendLast(node: Stanza): void {
    this.send(node);
    this.#state = 'over';
    this.#behaviour.end(this);
  }

  freeze(): void {
    this.#frozen = true;
    this.#socket.pause();
  }

  drop(): void {
    this.#state = 'over';
    this.#socket.terminate();
    this.#behaviour.end(this);
  }

  async #receive(data: Buffer): Promise<void> {
    try {
      for (const bytes of this.#deframer.push(data)) await this.#take(bytes);
    } catch (error) {
      this.network.chronicle.problems.push(`connection ${String(this.number)}: ${String(error)}`);
      this.drop();
    }
  }

  async #take(bytes: Buffer): Promise<void> {
    switch (this.#state) {
      case 'hello':
        this.#socket.send(frame(this.#noise.hello(bytes)));
        this.#state = 'finish';
        return;
      case 'finish': {
        const { clientKey, payload } = this.#noise.finish(bytes);
        this.#clientKey = clientKey;
        this.#version = versionIn(payload);
        this.#state = 'open';
        this.#behaviour.begin(this, payload);
        return;
      }
      case 'open': {
        const node = await decodeBinaryNode(this.#noise.open(bytes));
        this.#note('received', node);
        await this.#behaviour.handle(this, node);
        return;
      }
      case 'over':
    }
  }

  #responseTo(query: Stanza) {
    return { id: query.attrs['id'], from: query.attrs['to'] ?? SERVER };
  }

  #note(direction: 'received' | 'sent', node: Stanza): void {
    const { chronicle, now } = this.network;
    chronicle.transcript.add({ at: now(), connection: this.number, direction, node });
  }
}
