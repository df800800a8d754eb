import type { Walk, WalkPart } from '../../ports/storage/erasure-store.ts';

/** Small: each part is one transaction, and others have their turn between two of them. */
const ROWS = 500;

/** Goes through all rows of a walk, part by part, also if some are deleted meanwhile. */
export async function* partsOf<Row>(
  walk: (step: Walk) => Promise<WalkPart<Row>>,
  from: string | null = null,
): AsyncGenerator<WalkPart<Row>> {
  let after = from;
  do {
    const part = await walk({ after, limit: ROWS });
    yield part;
    after = part.next;
  } while (after !== null);
}
