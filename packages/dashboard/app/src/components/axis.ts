const STEPS = [1, 2, 5];

/** Round numbers from 0 up to at least `most`, in at most four equal steps. */
export function countTicks(most: number): readonly number[] {
  let step = 1;
  for (let power = 1; step * 4 < most; power *= 10)
    step = STEPS.map((each) => each * power).find((each) => each * 4 >= most) ?? step;
  const steps = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** The hours of a day at which a chart of a day has a label. */
const HOURS_BETWEEN = 6;
/** Charts with fewer bars have a label for each. */
const FEW = 8;
/** The bars between two labels, in a chart of days. */
const DAYS_BETWEEN = 10;

/**
 * The bars that have a label, by their index: the first one of each quarter of a day, of each day, or every
 * tenth one up to the last, by the length of the bars. Hours and days are those of the viewer.
 */
export function labelledBars(starts: readonly number[], step: 'quarter' | 'hour' | 'day'): readonly number[] {
  const indexes = starts.map((_, index) => index);
  if (starts.length <= FEW) return indexes;
  if (step === 'day') return indexes.filter((index) => (starts.length - 1 - index) % DAYS_BETWEEN === 0);
  const partOf = (start: number): string => {
    const date = new Date(start);
    const part = step === 'quarter' ? Math.floor(date.getHours() / HOURS_BETWEEN) : 0;
    return `${date.getDate()} ${part}`;
  };
  return indexes.filter((index) => {
    const [before, start] = [starts[index - 1], starts[index]];
    return before !== undefined && start !== undefined && partOf(before) !== partOf(start);
  });
}
