/**
 * Measures several variants alternately, round by round, so that other load on the machine affects all of them.
 * Discards a first round, which warms up.
 */
export async function inRounds<Name extends string, Figures>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name, round: number) => Promise<Figures>,
): Promise<Record<Name, Figures[]>> {
  const results = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Record<Name, Figures[]>; // an array for each name
  for (let round = 0; round <= rounds; round += 1) {
    // Every other round runs backwards, so that the order varies.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await measure(name, round);
      if (round > 0) results[name].push(figures);
    }
  }
  return results;
}
