export type { PostgresPool } from './pool.ts';
