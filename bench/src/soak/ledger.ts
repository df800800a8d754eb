/** A message with a unique text, which the network repeats in its reply. */
interface OpenMessage {
  /** Undefined until the message is accepted. */
  id?: string;
  readonly apiKey: string;
  readonly text: string;
  /** The reports that have not come yet. */
  readonly due: Set<string>;
}

/** Keeps what is still due for each message, and forgets a message when nothing is. */
export interface Ledger {
  /** Notes a message that is about to be sent, because reports can come before the response. */
  begin(message: Pick<OpenMessage, 'apiKey' | 'text'>, due: readonly string[]): void;
  accepted(text: string, id: string): void;
  refused(text: string): void;
  /** Notes a report about the message with this text. A repeated report changes nothing. */
  report(text: string, what: string): void;
  readonly counts: { accepted: number; refused: number };
  open(): readonly OpenMessage[];
}

export function createLedger(): Ledger {
  const messages = new Map<string, OpenMessage>();
  const counts = { accepted: 0, refused: 0 };
  return {
    begin: ({ apiKey, text }, due) => void messages.set(text, { apiKey, text, due: new Set(due) }),
    accepted(text, id) {
      counts.accepted += 1;
      const message = messages.get(text);
      if (message) message.id = id;
    },
    refused(text) {
      counts.refused += 1;
      messages.delete(text);
    },
    report(text, what) {
      const message = messages.get(text);
      message?.due.delete(what);
      if (message?.due.size === 0) messages.delete(text);
    },
    counts,
    open: () => [...messages.values()],
  };
}
