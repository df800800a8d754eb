import { expect, it } from 'vitest';
import { openedSecrets } from './sealer.ts';
import type { SealPurpose } from './sealer.ts';

it('a secret is opened once, and again once it has been rotated', () => {
  const { sealer, openings } = countingSealer();
  const open = openedSecrets(sealer);
  expect(open('sealed 1 for wh_a', 'wh_a')).toBe('secret 1');
  expect(open('sealed 1 for wh_a', 'wh_a')).toBe('secret 1');
  expect(open('sealed 2 for wh_a', 'wh_a')).toBe('secret 2');
  expect(openings).toEqual(['sealed 1 for wh_a', 'sealed 2 for wh_a']);
});

it('the secret of one endpoint is never opened as that of another', () => {
  const { sealer } = countingSealer();
  const open = openedSecrets(sealer);
  open('sealed 1 for wh_a', 'wh_a');
  expect(() => open('sealed 1 for wh_a', 'wh_b')).toThrow('cannot be opened');
});

it('secrets are kept up to a limit: the one opened longest ago is dropped', () => {
  const { sealer, openings } = countingSealer();
  const open = openedSecrets(sealer, 2);
  for (const secret of [1, 2, 3, 3, 2, 1]) open(`sealed ${secret} for wh_a`, 'wh_a');
  expect(openings.map((sealed) => sealed.slice(0, 8))).toEqual([
    'sealed 1',
    'sealed 2',
    'sealed 3',
    'sealed 1',
  ]);
});

function countingSealer() {
  const openings: string[] = [];
  const openText = (sealed: string, { label }: SealPurpose): string => {
    const [, secret, endpointId] = /^sealed (\d+) for (\w+)$/.exec(sealed) ?? [];
    if (label !== `webhook secret ${endpointId}`) throw new Error(`The ${label} cannot be opened.`);
    openings.push(sealed);
    return `secret ${secret}`;
  };
  return { sealer: { openText }, openings };
}
