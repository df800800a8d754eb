/**
 * Measures variants alternately, round by round, so that other load affects all of them. A first round warms up and
 * does not count.
 */
export async function inRounds<Name extends string, Figures>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name, round: number) => Promise<Figures>,
): Promise<Record<Name, Figures[]>> {
  const results = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Record<Name, Figures[]>; // an array for each name
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await measure(name, round);
      if (round > 0) results[name].push(figures);
    }
  }
  return results;
}
