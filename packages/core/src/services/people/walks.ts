import type { Walk, WalkPart } from '../../ports/storage/erasure-store.ts';

/** Rows per part. They are few, because each part is a transaction, with other work in between. */
const ROWS = 100;

/** Yields all rows of a walk, part by part, even if some are deleted in the meantime. */
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
