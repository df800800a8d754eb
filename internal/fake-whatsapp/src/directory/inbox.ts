import type { Stanza } from '../stanza.ts';

/** The part of an open connection that an inbox needs. */
export interface Line {
  send(node: Stanza): void;
}

interface Delivery {
  readonly line: Line;
  readonly caughtUp: () => void;
  readonly rest: Stanza[];
  /** How many more stanzas the client has asked for; unlimited once the client has its backlog. */
  asked: number;
}

/**
 * The queue of one linked client. A stanza stays until the client acknowledges it. At the next login, the remaining
 * stanzas are sent, marked as offline stanzas, in the batches that the client asks for.
 */
export class Inbox {
  readonly #waiting: Stanza[] = [];
  /** Every message that was put in, by id, so that it can be sent again. */
  readonly #messages = new Map<string, Stanza>();
  /** The ids of messages that the client asked the sender to repeat. */
  readonly #retried = new Set<string>();
  /** Stanzas that stay although the client refused them. Nothing behind them is sent. */
  readonly #refused = new Set<Stanza>();
  #delivery: Delivery | undefined;

  get size(): number {
    return this.#waiting.length;
  }

  put(node: Stanza): void {
    this.#waiting.push(node);
    if (node.tag === 'message') this.#messages.set(node.attrs['id'] ?? '', node);
    this.#delivery?.rest.push(node);
    this.#deliver();
  }

  /** Starts the delivery to a client. Calls `caughtUp` once the client has its backlog. */
  connect(line: Line, caughtUp: () => void): void {
    this.#delivery = { line, caughtUp, rest: [...this.#waiting], asked: 0 };
    this.#deliver();
  }

  sendBatch(count: number): void {
    if (this.#delivery === undefined) return;
    this.#delivery.asked += count;
    this.#deliver();
  }

  /** Ends the delivery on this line, unless another line has replaced it. */
  disconnect(line: Line): void {
    if (this.#delivery?.line === line) this.#delivery = undefined;
  }

  redeliver(id: string): void {
    const node = this.#messages.get(id);
    if (node === undefined) throw new Error(`no message ${id} was sent to this client`);
    this.put(node);
  }

  /** Notes that the client could not read a message, and has asked its sender for it again. */
  noteRetry(id: string): void {
    this.#retried.add(id);
  }

  /**
   * Takes an `<ack>` for any stanza, or a receipt for a message. With `keepsRefused`, an ack with an error leaves its
   * stanza in the queue, and everything behind that stanza has to wait.
   */
  acknowledge(response: Stanza, { keepsRefused = false } = {}): void {
    const node = this.#waiting.find((waiting) => isResponseTo(response, waiting));
    if (node === undefined) return;
    const { id = '', error } = response.attrs;
    if (keepsRefused && error !== undefined && !this.#retried.has(id)) {
      this.#refused.add(node);
      return;
    }
    this.#waiting.splice(this.#waiting.indexOf(node), 1);
    this.#refused.delete(node);
    this.#deliver();
  }

  #deliver(): void {
    const delivery = this.#delivery;
    if (delivery === undefined) return;
    const { line, rest, caughtUp } = delivery;
    const isLive = delivery.asked === Infinity;
    while (rest.length > 0 && delivery.asked > 0 && !this.#isHeld(rest)) {
      const node = rest.shift();
      if (node === undefined) break;
      delivery.asked -= 1;
      line.send(isLive ? node : { ...node, attrs: { ...node.attrs, offline: '1' } });
    }
    if (isLive || rest.length > 0) return;
    delivery.asked = Infinity;
    caughtUp();
  }

  /** Whether a stanza that was sent and refused holds up the rest. */
  #isHeld(rest: readonly Stanza[]): boolean {
    return [...this.#refused].some((node) => !rest.includes(node));
  }
}

function isResponseTo(response: Stanza, node: Stanza): boolean {
  if (response.attrs['id'] !== node.attrs['id']) return false;
  if (response.tag === 'receipt') return node.tag === 'message';
  if (response.attrs['class'] !== node.tag) return false;
  // Several receipts about one message share the message's id.
  const same = (name: string) => response.attrs[name] === node.attrs[name];
  return node.tag !== 'receipt' || (same('type') && same('participant'));
}
