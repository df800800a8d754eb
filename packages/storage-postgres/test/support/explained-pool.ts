import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Value } from '../../src/rows/row.ts';

export interface Explained {
  readonly sql: string;
  /** The maximum number of rows that a part of the plan read, in all its runs. */
  readonly rows: number;
  /** The part of the plan that read the most rows, such as `Index Scan on deliveries_20261120`. */
  readonly node: string;
  /** The maximum number of pairs of rows that a join compared and rejected. */
  readonly compared: number;
  /** The tables that are read without an index. */
  readonly scanned: readonly string[];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Plan[];
}

interface Statement {
  readonly text: string;
  readonly values?: readonly Value[];
}

/**
 * A pool that runs each statement twice, except those that only control transactions. The first run uses a generic
 * plan, as a prepared statement eventually does, adds its reads to `explained`, and is rolled back.
 */
export function explainedPool(connectionString: string, explained: Explained[]): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 3, options: '-c plan_cache_mode=force_generic_plan' });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query; // as it is called here
    let isWithin = false;
    Reflect.set(client, 'query', async (statement: Statement) => {
      const { text } = statement;
      if (/^[\s(]*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(text)) {
        await query(isWithin ? 'SAVEPOINT explaining' : 'BEGIN');
        explained.push(await explain(query, statement));
        await query(isWithin ? 'ROLLBACK TO explaining' : 'ROLLBACK');
      }
      if (text.startsWith('BEGIN')) isWithin = true;
      if (/^(COMMIT|ROLLBACK)/.test(text)) isWithin = false;
      return query(statement);
    });
  });
  onTestFinished(() => pool.end());
  return pool;
}

type Query = (statement: string | Statement) => Promise<pg.QueryResult>;

async function explain(query: Query, { text, values = [] }: Statement): Promise<Explained> {
  await query(`PREPARE explained AS ${text}`);
  const literals: string[] = [];
  for (const [index, value] of values.entries()) {
    const [, type] = new RegExp(`\\$${index + 1}::(\\w+)\\[\\]`).exec(text) ?? [];
    literals.push(type === undefined ? literal(value) : await arrayLiteral(query, type, value));
  }
  const given = values.length > 0 ? `(${literals.join(', ')})` : '';
  const { rows } = await query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE explained ${given}`);
  await query('DEALLOCATE explained');
  const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]; // as EXPLAIN returns
  return {
    sql: text.replaceAll(/\s+/g, ' ').trim(),
    ...busiest(plan),
    compared: comparedBy(plan),
    scanned: scannedBy(plan),
  };
}

function comparedBy(plan: Plan): number {
  const own = (plan['Rows Removed by Join Filter'] ?? 0) * plan['Actual Loops'];
  return Math.max(Math.round(own), ...(plan.Plans ?? []).map(comparedBy));
}

function scannedBy(plan: Plan): readonly string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scannedBy)];
}

function busiest(plan: Plan): Pick<Explained, 'rows' | 'node'> {
  const read =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  const node = [plan['Node Type'], plan['Relation Name']].filter(Boolean).join(' on ');
  const inner = (plan.Plans ?? []).map(busiest);
  return [{ rows: Math.round(read * plan['Actual Loops']), node }, ...inner].reduce((a, b) =>
    b.rows > a.rows ? b : a,
  );
}

/** A literal that PostgreSQL can read as any type. */
function literal(value: Value): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return pg.escapeLiteral(`\\x${Buffer.from(value).toString('hex')}`);
  return pg.escapeLiteral(String(value));
}

/** Lets PostgreSQL convert the array, because only PostgreSQL reads the binary format in which arrays are sent. */
async function arrayLiteral(query: Query, type: string, value: Value): Promise<string> {
  const { rows } = await query({ text: `SELECT $1::${type}[]::text AS literal`, values: [value] });
  return pg.escapeLiteral(rows[0].literal);
}
