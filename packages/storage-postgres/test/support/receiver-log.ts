import type { ClaimedDelivery } from '@trunkline/core/spi/storage';

export interface Limits {
  readonly slots: number;
  readonly startsPerWindow: number;
  readonly windowMs: number;
}

/** Records requests as the receivers see them start and end, and every broken promise to a receiver. */
export class ReceiverLog {
  readonly breaches: string[] = [];
  /** The ids of deliveries to which a receiver responded with success. */
  readonly received = new Set<string>();
  requests = 0;
  readonly #limits: Limits;
  readonly #inFlight = new Map<string, Set<string>>();
  readonly #starts = new Map<string, number[]>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  begin({ delivery, token }: ClaimedDelivery, at: number): void {
    const { slots } = this.#limits;
    const { id, endpointId } = delivery;
    this.requests += 1;
    // A retry by hand may repeat a delivery that was received.
    if (this.received.has(id) && !delivery.manual) this.breaches.push(`${id} came again after a success`);

    const requests = this.#inFlight.get(endpointId) ?? new Set();
    this.#inFlight.set(endpointId, requests.add(`${id} ${token}`));
    if (requests.size > slots) this.breaches.push(`${requests.size} concurrently to ${endpointId}`);

    this.#starts.set(endpointId, [...(this.#starts.get(endpointId) ?? []), at]);
  }

  end({ delivery, token }: ClaimedDelivery): void {
    this.#inFlight.get(delivery.endpointId)?.delete(`${delivery.id} ${token}`);
  }

  /** The endpoints to which more requests than allowed were started within some window. */
  overrun(): readonly string[] {
    const { startsPerWindow, windowMs } = this.#limits;
    return Array.from(this.#starts, ([endpointId, starts]) => ({
      endpointId,
      starts: starts.toSorted((a, b) => a - b),
    }))
      .filter(({ starts }) =>
        starts.some((start, index) => start - (starts[index - startsPerWindow] ?? -Infinity) < windowMs),
      )
      .map(({ endpointId }) => endpointId);
  }
}
