import type { QueryLimit } from './connection/query-limit.ts';
import { MediaRetries } from './media/media-retries.ts';
import type { MediaRetryResponse } from './media/media-retries.ts';

export interface LoginRefusal {
  readonly reason: number;
  /** In how many seconds the failure says that it will end; not sent if undefined. */
  readonly expire?: number | undefined;
  /** Further attributes of the failure. */
  readonly says?: Readonly<Record<string, string>> | undefined;
}

export class Disturbances {
  /** Acks that are held back, in order; undefined while acks go out immediately. */
  #heldAcks: (() => void)[] | undefined;
  readonly #mediaRetries = new Map<string, MediaRetries>();
  #muted: ReadonlySet<string> | 'all' | undefined;
  readonly #refusedQueries = new Map<string, { readonly code: number; readonly times: number }>();
  readonly #refusedLogins = new Map<string, LoginRefusal>();
  readonly #nextMessages = new Map<string, (number | 'lose')[]>();
  /** The response to WebSocket upgrades, if not the usual one. */
  upgradeResponse: number | 'silence' | undefined;
  withholdsOfflineMark = false;
  keepsRefused = false;
  queryLimit: QueryLimit | undefined;
  codeRefusal: number | undefined;
  typedCodeRefusal: number | undefined;

  holdAcks(): void {
    this.#heldAcks ??= [];
  }

  releaseAcks(): void {
    const held = this.#heldAcks ?? [];
    this.#heldAcks = undefined;
    for (const send of held) send();
  }

  phoneFor(phoneNumber: string): MediaRetries {
    const phone = this.#mediaRetries.get(phoneNumber) ?? new MediaRetries();
    this.#mediaRetries.set(phoneNumber, phone);
    return phone;
  }

  /** Calls `respond` with the phone's response: now, or when the test releases the phone. */
  mediaRetry(phoneNumber: string, respond: (how: MediaRetryResponse) => void): void {
    this.phoneFor(phoneNumber).ask(respond);
  }

  ack(send: () => void): void {
    if (this.#heldAcks === undefined) send();
    else this.#heldAcks.push(send);
  }

  mute(names: readonly string[]): void {
    this.#muted = names.length === 0 ? 'all' : new Set(names);
  }

  unmute(): void {
    this.#muted = undefined;
  }

  refuseQueries(name: string, code: number, times: number): void {
    this.#refusedQueries.set(name, { code, times });
  }

  takeQueryRefusal(name: string): number | undefined {
    const refusal = this.#refusedQueries.get(name);
    if (refusal === undefined || refusal.times === 0) return undefined;
    this.#refusedQueries.set(name, { ...refusal, times: refusal.times - 1 });
    return refusal.code;
  }

  isMuted(query: string): boolean {
    return this.#muted === 'all' || (this.#muted?.has(query) ?? false);
  }

  refuseLogin(phoneNumber: string, refusal: LoginRefusal | undefined): void {
    if (refusal === undefined) this.#refusedLogins.delete(phoneNumber);
    else this.#refusedLogins.set(phoneNumber, refusal);
  }

  loginRefusal(phoneNumber: string): LoginRefusal | undefined {
    return this.#refusedLogins.get(phoneNumber);
  }

  disturbNextMessage(phoneNumber: string, how: number | 'lose'): void {
    const planned = this.#nextMessages.get(phoneNumber) ?? [];
    this.#nextMessages.set(phoneNumber, [...planned, how]);
  }

  /** Takes the outcome planned for the message that just arrived: an error code, or its loss. */
  takeNextMessage(phoneNumber: string): number | 'lose' | undefined {
    return this.#nextMessages.get(phoneNumber)?.shift();
  }
}
