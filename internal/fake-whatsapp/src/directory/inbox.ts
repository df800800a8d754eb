import type { Stanza } from '../stanza.ts';

/** An open connection, as far as an inbox needs it. */
export interface Line {
  send(node: Stanza): void;
}

interface Delivery {
  readonly line: Line;
  readonly caughtUp: () => void;
  /** The stanzas still to be sent, in order. */
  readonly rest: Stanza[];
  /** How many more of them the client has asked for; without limit once it has all that waited for its login. */
  asked: number;
}

/**
 * The queue of one linked client. A stanza stays until the client acknowledges it; the rest is sent again when the
 * client logs in again, marked as from its time offline, in the batches that the client asks for.
 */
export class Inbox {
  readonly #waiting: Stanza[] = [];
  /** Every message that was put in, by id: for handing it out again. */
  readonly #messages = new Map<string, Stanza>();
  /** Messages that the client asked the sender for again, by id. */
  readonly #retried = new Set<string>();
  /** Stanzas that the client refused, and that stay: nothing behind them is sent. */
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

  /** The client is there. `caughtUp` is called once it has everything that waited. */
  connect(line: Line, caughtUp: () => void): void {
    this.#delivery = { line, caughtUp, rest: [...this.#waiting], asked: 0 };
    this.#deliver();
  }

  /** The client asks for this many of the stanzas that waited. */
  sendBatch(count: number): void {
    if (this.#delivery === undefined) return;
    this.#delivery.asked += count;
    this.#deliver();
  }

  /** The client is gone; a line that was replaced in the meantime changes nothing. */
  disconnect(line: Line): void {
    if (this.#delivery?.line === line) this.#delivery = undefined;
  }

  redeliver(id: string): void {
    const node = this.#messages.get(id);
    if (node === undefined) throw new Error(`no message ${id} was sent to this client`);
    this.put(node);
  }

  /** The client could not read a message, and has asked its sender for it again. */
  noteRetry(id: string): void {
    this.#retried.add(id);
  }

  /**
   * `<ack>` for anything, or a receipt for a message. With `keepsRefused`, an ack with an error leaves its stanza where
   * it is, and everything behind it has to wait.
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

  /** Whether a stanza that was sent, and refused, is in front of the rest. */
  #isHeld(rest: readonly Stanza[]): boolean {
    return [...this.#refused].some((node) => !rest.includes(node));
  }
}

function isResponseTo(response: Stanza, node: Stanza): boolean {
  if (response.attrs['id'] !== node.attrs['id']) return false;
  if (response.tag === 'receipt') return node.tag === 'message';
  if (response.attrs['class'] !== node.tag) return false;
  // Several receipts about one message have its id.
  const same = (name: string) => response.attrs[name] === node.attrs[name];
  return node.tag !== 'receipt' || (same('type') && same('participant'));
}
