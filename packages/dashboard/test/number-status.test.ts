import { expect, it, vi } from 'vitest';

interface NumberStatus {
  countTroubles(numbers: readonly object[]): Readonly<Record<'bad' | 'act' | 'busy', number>>;
}

it('a connecting number needs no attention, one without its QR does', async () => {
  // The variable hides the import from the compiler, because the tests are compiled without JSX, unlike the app.
  const module: string = '../app/src/domain/number-status.ts';
  const { countTroubles } = await vi.importActual<NumberStatus>(module);
  const numbers = [
    { status: 'connecting', last_error: null, restriction: null },
    { status: 'connecting', last_error: 'TIMED_OUT', restriction: null },
    { status: 'qr_required', last_error: null, restriction: null },
    { status: 'disconnected', last_error: 'STREAM_ERRORED', restriction: null },
    { status: 'disconnected', last_error: null, restriction: null },
    { status: 'connected', last_error: null, restriction: null },
  ];
  expect(countTroubles(numbers)).toEqual({ bad: 1, act: 1, busy: 2 });
});
