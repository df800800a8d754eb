import { movedTable } from '@trunkline/storage-kit';
import type { MovedColumn, MovedRow, MovedTableName } from '@trunkline/storage-kit';
import { ENDED_GENERATION, FIRST_GENERATION } from '@trunkline/storage-kit';
import { fileNoted } from '../messages/chat-filing.ts';
import { columnArrays } from '../rows/column-arrays.ts';
import type { Transaction } from '../database/database.ts';
import { IS_FULL, wakeAt } from '../deliveries/lane.ts';
import { saveQueue } from '../messages/queue.ts';
import { entities } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { NIL, uuidOf } from '../rows/uuid.ts';
import { contentToStore, SENT_AS, writeMoved } from './moved-values.ts';

/** Writes moved rows, and files messages among them. */
export async function writeRows(
  statements: Statements,
  name: MovedTableName,
  rows: readonly MovedRow[],
): Promise<void> {
  for (const { table, columns, given } of destinations(name, rows)) {
    if (given.length > 0) await insertAll(statements, { table, columns, given });
  }
  if (name === 'messages') await fileNoted(statements, rows.length);
}

interface Destination {
  readonly table: string;
  readonly columns: Readonly<Record<string, MovedColumn>>;
  readonly given: readonly MovedRow[];
}

function destinations(name: MovedTableName, rows: readonly MovedRow[]): readonly Destination[] {
  const { columns } = movedTable(name);
  switch (name) {
    case 'messages':
      return [
        { table: name, columns, given: rows },
        {
          table: 'unfiled_messages',
          columns: { message_id: { kind: 'id', prefix: 'msg' } },
          given: rows.map(({ id = null }) => ({ message_id: id })),
        },
      ];
    case 'contents':
      return [
        {
          table: name,
          columns: { ...columns, message_id: { kind: 'id' }, is_upload: { kind: 'flag' } },
          given: rows.map(contentToStore),
        },
      ];
    case 'endpoints':
      return [
        {
          table: name,
          columns: { ...columns, generation: { kind: 'integer' } },
          given: rows.map((row) => ({ ...row, generation: FIRST_GENERATION })), // `finishMove` writes the generation of the lane
        },
      ];
    case 'deliveries': {
      const { delivered_at: _, ...open } = columns;
      const { due_at: __, lost_claims: ___, ...ended } = columns;
      return [
        { table: 'open_deliveries', columns: open, given: rows.filter((row) => row['due_at'] !== null) },
        {
          table: name,
          columns: ended,
          given: rows
            .filter((row) => row['due_at'] === null)
            .map((row) => ({ ...row, generation: ENDED_GENERATION })),
        },
      ];
    }
    default:
      return [{ table: name, columns, given: rows }];
  }
}

async function insertAll({ run }: Statements, { table, columns, given }: Destination): Promise<void> {
  const names = Object.keys(columns);
  const shape = Object.fromEntries(
    Object.entries(columns).map(([name, { kind }]) => [name, SENT_AS[kind].type] as const),
  );
  const rows = given.map((row) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, writeMoved(column, row[name] ?? null)]),
    ),
  );
  const sent = names.map((name, index) => `$${index + 1}::${shape[name]}[]`).join(', ');
  const read = Object.entries(columns).map(([name, { kind }]) => SENT_AS[kind].read(`given.${name}`));
  await run(
    `INSERT INTO trunkline.${table} (${names.join(', ')})
     SELECT ${read.join(', ')} FROM unnest(${sent}) AS given (${names.join(', ')})`,
    ...columnArrays(shape, rows),
  );
}

const INSTANCES = 500;

/** Updates values that depend on all rows. Called after the transactions that wrote the rows. */
export async function finishMove(transaction: Transaction): Promise<void> {
  const { all, run } = transaction;
  let after = NIL;
  for (;;) {
    const rows = await all(
      'SELECT * FROM trunkline.instances WHERE id > $1::uuid ORDER BY id LIMIT $2',
      after,
      INSTANCES,
    );
    const instances = rows.map(entities.instance.read);
    for (const instance of instances) await saveQueue(transaction, instance);
    const last = instances.at(-1);
    if (!last || instances.length < INSTANCES) break;
    after = uuidOf('ins', last.id);
  }
  await run(COUNT_QUEUES);
  await run(
    'UPDATE trunkline.endpoints SET generation = lanes.generation FROM trunkline.lanes WHERE lanes.endpoint_id = endpoints.id',
  );
  // These times ignore the limits on claims. The first claim applies the limits, and recomputes the times.
  await run(`UPDATE trunkline.lanes SET wake_at = ${wakeAt(IS_FULL)}`);
}

const COUNT_QUEUES = `
  UPDATE trunkline.queues SET length = waiting.length, next_position = waiting.last + 1
  FROM (
    SELECT instance_id, count(*) AS length, max(position) AS last
    FROM (
      SELECT instance_id, position FROM trunkline.queued_messages
      UNION ALL
      SELECT instance_id, position FROM trunkline.held_messages
    ) AS message
    GROUP BY instance_id
  ) AS waiting
  WHERE queues.instance_id = waiting.instance_id`;
