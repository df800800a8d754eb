export { must, only } from './must.ts';
export { stayingOpen } from './staying-open.ts';
export { elapsing, eventually, HANG_MS, until } from './waiting.ts';
export { unaccountedColumns } from './unaccounted-columns.ts';
