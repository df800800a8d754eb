export { memoryMediaStore } from './memory-media-store.ts';
export { manualClock } from './manual-clock.ts';
export type { ManualClock } from './manual-clock.ts';
export { seededRandom } from './seeded-random.ts';
export { REFUSED, TAKEN, recordingSender } from './recording-sender.ts';
export type { RecordedRequest, RecordingSender } from './recording-sender.ts';
export { testRuntime } from './test-runtime.ts';
export type { TestRuntime } from './test-runtime.ts';
