/** The number of bars that phones show for a voice message, each from 0 to 100. */
export const BARS = 64;
/** The maximum number of groups of packets, which bounds memory while a file is read. */
const MOST_GROUPS = 1_024;

/**
 * Makes a waveform of the sizes of packets. Averages them over groups; when there are too many groups, their size is
 * doubled. Without packets, all bars are 0.
 */
export function packetLevels(): {
  add(size: number): void;
  bars(): Uint8Array;
} {
  let sums: number[] = [];
  let perGroup = 1;
  let inLast = 0;
  return {
    add(size) {
      if (inLast === 0 || inLast === perGroup) {
        if (sums.length === MOST_GROUPS) {
          sums = sums.flatMap((sum, index) => (index % 2 === 0 ? [sum + (sums[index + 1] ?? 0)] : []));
          perGroup *= 2;
        }
        sums.push(0);
        inLast = 0;
      }
      sums[sums.length - 1] = (sums.at(-1) ?? 0) + size;
      inLast += 1;
    },
    bars: () => barsOf(sums.map((sum, index) => sum / (index === sums.length - 1 ? inLast : perGroup))),
  };
}

/** Averages the groups into BARS bars, where 100 is the level of the loudest group. */
function barsOf(averages: readonly number[]): Uint8Array {
  const most = Math.max(1, ...averages);
  return Uint8Array.from({ length: BARS }, (_, bar) => {
    const first = Math.floor((bar * averages.length) / BARS);
    const end = Math.max(first + 1, Math.floor(((bar + 1) * averages.length) / BARS));
    const group = averages.slice(first, end);
    const average = group.reduce((sum, size) => sum + size, 0) / Math.max(1, group.length);
    return Math.round((100 * average) / most);
  });
}
