export { createNextTrunkline } from './next-trunkline.ts';
export type { NextTrunkline } from './next-trunkline.ts';
export type { NextTrunklineOptions } from './next-options.ts';
