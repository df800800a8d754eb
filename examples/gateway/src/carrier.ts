import type { GatewayContext, MessageError, OutgoingMessage, SendOutcome } from '@trunkline/core/spi/gateway';
import type { CarrierEvent } from './protocol.ts';

/** How long the carrier may take to respond, or be silent on the response that carries the events. */
const DEADLINE_MS = 30_000;
/** How long it may take to take a message with its file. */
const SEND_DEADLINE_MS = 10 * 60_000;

/** The carrier as one device sees it, or one that is not linked yet. */
export class Carrier {
  token: string | null;
  readonly #url: string;
  readonly #context: GatewayContext;

  constructor(url: string, context: GatewayContext, token: string | null) {
    [this.#url, this.#context, this.token] = [url, context, token];
  }

  /** Rejects if no response comes in time. Its body may take longer. */
  async call(path: string, init: RequestInit = {}, deadlineMs: number = DEADLINE_MS): Promise<Response> {
    const headers = this.token === null ? {} : { authorization: `Bearer ${this.token}` };
    const late = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    const cancel = this.#context.clock.setTimer(deadlineMs, () => late.abort());
    try {
      return await fetch(new URL(path, this.#url), { ...init, headers, signal });
    } finally {
      cancel();
    }
  }

  /** Ends with the response. Throws if the carrier cannot be reached, or is silent for too long. */
  async *events(pairingNumber: string, closed: AbortSignal): AsyncGenerator<CarrierEvent> {
    const silent = new AbortController();
    let cancel = (): void => {};
    try {
      const path = `/events?${new URLSearchParams({ pairingNumber }).toString()}`;
      const response = await this.call(path, { signal: AbortSignal.any([closed, silent.signal]) });
      if (response.status === 401) return yield { type: 'unlinked' };
      if (response.status === 403) return yield { type: 'refused' };
      if (!response.ok || !response.body) throw new Error(`The carrier responded with ${response.status}.`);
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of response.body) {
        cancel();
        cancel = this.#context.clock.setTimer(DEADLINE_MS, () => silent.abort());
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') yield JSON.parse(line) as CarrierEvent; // as protocol.ts has it
      }
    } finally {
      cancel();
    }
  }

  /** Under the id that core chose: the carrier takes each id once, so that a message can be sent again. */
  async send({ networkId, to, isGroup, content }: OutgoingMessage): Promise<SendOutcome> {
    try {
      const query = new URLSearchParams({ to, type: content.type, isGroup: String(isGroup) });
      if ('file' in content) query.set('mimeType', content.file.mimeType);
      if ('file' in content) query.set('caption', content.caption ?? '');
      const body = 'file' in content ? await content.file.open() : content.text;
      const init = { method: 'PUT', body, duplex: 'half' } as const;
      const response = await this.call(`/messages/${networkId}?${query.toString()}`, init, SEND_DEADLINE_MS);
      if (response.ok) return { kind: 'accepted' };
      // The body of this status is one, as protocol.ts has it.
      if (response.status === 422) return { kind: 'refused', error: (await response.json()) as MessageError };
      return { kind: 'unknown', reason: `the carrier responded with ${response.status}` };
    } catch (error) {
      return {
        kind: 'unknown',
        reason: error instanceof Error ? error.message : 'the carrier did not respond',
      };
    }
  }

  async download(fileId: string): Promise<ReadableStream<Uint8Array>> {
    const response = await this.call(`/files/${fileId}`);
    if (!response.ok || !response.body) throw new Error(`The carrier has no file ${fileId}.`);
    return response.body;
  }

  /** Does nothing if no device is linked, or not any more. Rejects if the carrier cannot be reached. */
  async unlink(): Promise<void> {
    if (this.token === null) return;
    const { ok, status } = await this.call('/device', { method: 'DELETE' });
    if (!ok && status !== 401)
      throw new Error(`The carrier did not unlink the device: it responded with ${status}.`);
  }
}
