export { eventually, HANG_MS, until } from './waiting.ts';
