import { describe, expect, it } from 'vitest';
import { NOW, exampleEndpoint } from '../../../test/support/examples.ts';
import { HEALTHY } from './endpoint.ts';
import type { EndpointHealth } from './endpoint.ts';
import { disablingTime, evaluateFailing } from './failing-policy.ts';

const HOUR = 60 * 60 * 1000;
const failing: EndpointHealth = { ...HEALTHY, failingSince: NOW, exhausted: true };
const warned = (afterHours: number): EndpointHealth => ({ ...failing, warnedAt: NOW + afterHours * HOUR });

describe('an endpoint that keeps failing', () => {
  it.each<[string, EndpointHealth, number, string]>([
    ['healthy', HEALTHY, 1000, 'nothing'],
    ['failing for a moment less than 48 h', failing, 48 - 1 / HOUR, 'nothing'],
    ['failing for 48 h', failing, 48, 'warn'],
    ['failing for 48 h without an exhausted delivery', { ...failing, exhausted: false }, 48, 'nothing'],
    ['failing for 100 h without an exhausted delivery', { ...failing, exhausted: false }, 100, 'nothing'],
    ['failing for 100 h and not warned yet', failing, 100, 'warn'],
    ['warned on time, a moment less than 72 h', warned(48), 72 - 1 / HOUR, 'nothing'],
    ['warned on time, 72 h', warned(48), 72, 'disable'],
    ['warned late, 72 h', warned(60), 72, 'nothing'],
    ['warned late, a moment less than 24 h after the warning', warned(60), 84 - 1 / HOUR, 'nothing'],
    ['warned late, 24 h after the warning', warned(60), 84, 'disable'],
  ])('%s: after %s h, %s', (_, health, hours, expected) => {
    expect(evaluateFailing(exampleEndpoint({ health }), NOW + hours * HOUR)).toBe(expected);
  });

  it('is not evaluated once it is disabled', () => {
    expect(
      evaluateFailing(exampleEndpoint({ status: 'disabled', health: warned(48) }), NOW + 100 * HOUR),
    ).toBe('nothing');
  });

  it.each<[string, EndpointHealth, number, number | null]>([
    ['healthy', HEALTHY, 1000, null],
    ['failing for a moment', failing, 0, 72],
    ['warned on time', warned(48), 60, 72],
    ['warned late', warned(60), 61, 84],
    ['failing for 100 h and not warned yet', failing, 100, 124],
  ])('%s: the earliest time at which it is disabled', (_, health, hours, expected) => {
    const at = disablingTime(exampleEndpoint({ health }), NOW + hours * HOUR);
    expect(at).toBe(expected === null ? null : NOW + expected * HOUR);
  });

  it('is not to be disabled again', () => {
    expect(disablingTime(exampleEndpoint({ status: 'disabled', health: failing }), NOW)).toBeNull();
  });
});
