/**
 * Measures several things in turns, round by round, so that other load of the machine falls on all of them. A first
 * round, which warms up, is thrown away.
 */
export async function inRounds<Name extends string, Figures>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name, round: number) => Promise<Figures>,
): Promise<Record<Name, Figures[]>> {
  const results = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Record<Name, Figures[]>; // one each
  for (let round = 0; round <= rounds; round += 1) {
    // Every other round runs backwards, so that the order is not always the same.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await measure(name, round);
      if (round > 0) results[name].push(figures);
    }
  }
  return results;
}
