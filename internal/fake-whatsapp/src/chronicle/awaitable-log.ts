interface Wait<T> {
  readonly matches: (entry: T) => boolean;
  readonly resolve: (entry: T) => void;
  readonly reject: (error: Error) => void;
  readonly description: string;
}

/** A list whose entries can be awaited. Has no timers: closing the list rejects the remaining waits. */
export class AwaitableLog<T> {
  readonly #entries: T[] = [];
  #waits: Wait<T>[] = [];
  #closed = false;

  get entries(): readonly T[] {
    return this.#entries;
  }

  add(entry: T): void {
    this.#entries.push(entry);
    const done = this.#waits.filter(({ matches }) => matches(entry));
    this.#waits = this.#waits.filter((wait) => !done.includes(wait));
    for (const { resolve } of done) resolve(entry);
  }

  /** Returns the first entry that matches, past or future. */
  first(description: string, matches: (entry: T) => boolean): Promise<T> {
    const found = this.#entries.find(matches);
    return found === undefined ? this.next(description, matches) : Promise.resolve(found);
  }

  /** Returns the first entry after this call that matches. */
  next(description: string, matches: (entry: T) => boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = { matches, resolve, reject, description };
      if (this.#closed) reject(stoppedWaiting(wait));
      else this.#waits.push(wait);
    });
  }

  close(): void {
    this.#closed = true;
    for (const wait of this.#waits) wait.reject(stoppedWaiting(wait));
    this.#waits = [];
  }
}

function stoppedWaiting({ description }: { readonly description: string }): Error {
  return new Error(`the fake WhatsApp was stopped while a test waited for ${description}`);
}
