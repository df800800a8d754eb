/** Bytes that look random, but are the same for the same seed (a linear congruential generator). */
export function seededBytes(seed: number): (length: number) => Uint8Array {
  let state = seed >>> 0;
  return (length) =>
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
}
