/** A permutation of all values of 9 bytes that nobody without the key can tell from a random one. */
export interface Permutation {
  permute(bytes: Uint8Array): Uint8Array;
  /** Gives back what was permuted. */
  invert(bytes: Uint8Array): Uint8Array;
}

/** Bytes that are permuted. */
export const PERMUTED_LENGTH = 9;
