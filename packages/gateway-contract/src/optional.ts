import { it } from 'vitest';
import type { GatewaySubject, OptionalFeature } from './contract-subject.ts';

export function lacks({ missing = {} }: GatewaySubject, name: OptionalFeature): boolean {
  return missing[name] !== undefined;
}

/** The `it` for tests that need these features. Without them, the test is skipped, with the reason in its title. */
export function itWith(
  { missing = {} }: GatewaySubject,
  ...needed: readonly OptionalFeature[]
): (title: string, test: () => Promise<void>) => void {
  const reasons = needed.flatMap((name) => missing[name] ?? []);
  const why = reasons.length === 0 ? '' : ` (skipped: ${reasons.join(', ')})`;
  return (title, test) => it.skipIf(reasons.length > 0)(`${title}${why}`, test);
}
