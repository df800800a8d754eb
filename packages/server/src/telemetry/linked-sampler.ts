import { SamplingDecision } from '@opentelemetry/sdk-trace';
import type { Sampler, SamplingResult } from '@opentelemetry/sdk-trace';
import { TraceFlags } from '@opentelemetry/api';

/**
 * Records a trace that links to a recorded trace, so that a message is traced to its end; `otherwise` decides on all
 * other traces.
 */
export class LinkedSampler implements Sampler {
  readonly #otherwise: Sampler;

  constructor(otherwise: Sampler) {
    this.#otherwise = otherwise;
  }

  shouldSample(
    ...[within, traceId, name, kind, attributes, links]: Parameters<Sampler['shouldSample']>
  ): SamplingResult {
    const isLinked = links.some(({ context }) => (context.traceFlags & TraceFlags.SAMPLED) !== 0);
    if (isLinked) return { decision: SamplingDecision.RECORD_AND_SAMPLED };
    return this.#otherwise.shouldSample(within, traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `Linked{${this.#otherwise.toString()}}`;
  }
}
