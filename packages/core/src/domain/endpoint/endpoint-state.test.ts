import { describe, expect, it } from 'vitest';
import { NOW, exampleDelivery, exampleEndpoint } from '../../../test/support/examples.ts';
import { disable, enable, isConfigured } from './endpoint-state.ts';
import { HEALTHY } from './endpoint.ts';
import type { LastDelivery } from './endpoint.ts';

const LATER = NOW + 1_000;
const lastDelivery: LastDelivery = {
  id: exampleDelivery().id,
  status: 'exhausted',
  responseStatus: 500,
  at: NOW,
};
const failing = { lastDelivery, lastSuccessAt: NOW - 1, failingSince: NOW, exhausted: true, warnedAt: NOW };

describe('an endpoint', () => {
  it('is disabled with the time and the reason', () => {
    const endpoint = exampleEndpoint({ health: failing });
    const off = { status: 'disabled', disabledAt: LATER, updatedAt: LATER };
    expect(disable(endpoint, 'manual', LATER)).toEqual({ ...endpoint, ...off, disabledReason: 'manual' });
    expect(disable(endpoint, 'auto_no_delivery_72h', LATER)).toEqual({
      ...endpoint,
      ...off,
      disabledReason: 'auto_no_delivery_72h',
    });
  });

  it('is disabled with its last delivery ended, if that was to be tried again', () => {
    const retrying = { ...failing, lastDelivery: { ...lastDelivery, status: 'retrying' } as const };
    const endpoint = exampleEndpoint({ health: retrying });
    expect(disable(endpoint, 'manual', LATER).health).toEqual({
      ...failing,
      lastDelivery: { ...lastDelivery, status: 'failed' },
    });
  });

  it('is enabled with its failures forgiven and its deliveries remembered', () => {
    const endpoint = disable(exampleEndpoint({ health: failing }), 'auto_no_delivery_72h', NOW);
    expect(enable(endpoint, LATER)).toEqual({
      ...exampleEndpoint(),
      health: { ...HEALTHY, lastDelivery, lastSuccessAt: NOW - 1 },
      updatedAt: LATER,
    });
  });

  it('counts as configured once it has delivered, and while it is enabled', () => {
    const proven = exampleEndpoint({ health: { ...failing, lastSuccessAt: NOW } });
    expect(isConfigured(exampleEndpoint())).toBe(false);
    expect(isConfigured(proven)).toBe(true);
    expect(isConfigured(disable(proven, 'manual', LATER))).toBe(false);
  });
});
