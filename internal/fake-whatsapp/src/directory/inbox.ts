import type { Stanza } from '../stanza.ts';

/** An open connection, as far as an inbox needs it. */
export interface Line {
  send(node: Stanza): void;
}

/**
 * What waits for one linked client. A stanza stays until the client acknowledges it; what is left when the client
 * logs in again is sent again, marked as from its time offline.
 */
export class Inbox {
  readonly #waiting: Stanza[] = [];
  /** Every message that was put in, by id: for handing it out again. */
  readonly #messages = new Map<string, Stanza>();
  #line: Line | undefined;

  get size(): number {
    return this.#waiting.length;
  }

  put(node: Stanza): void {
    this.#waiting.push(node);
    if (node.tag === 'message') this.#messages.set(node.attrs['id'] ?? '', node);
    this.#line?.send(node);
  }

  /** The client is there. Sends what waited. */
  connect(line: Line): void {
    this.#line = line;
    for (const node of this.#waiting) line.send({ ...node, attrs: { ...node.attrs, offline: '1' } });
  }

  /** The client is gone; a line that was replaced in the meantime changes nothing. */
  disconnect(line: Line): void {
    if (this.#line === line) this.#line = undefined;
  }

  redeliver(id: string): void {
    const node = this.#messages.get(id);
    if (node === undefined) throw new Error(`no message ${id} was sent to this client`);
    this.put(node);
  }

  /** `<ack>` for anything, or a receipt for a message. */
  acknowledge(response: Stanza): void {
    const found = this.#waiting.findIndex((node) => isResponseTo(response, node));
    if (found >= 0) this.#waiting.splice(found, 1);
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
