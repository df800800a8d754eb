// Preloaded into a server.

// Moves the server's clock ahead, as if the server ran that much later, and sets the clock again when the test asks.
// Timers and the monotonic clock continue, as they do when a machine's clock is set.
let aheadMs = Number(process.env['CLOCK_AHEAD_MS']);
const now = Date.now;
Date.now = () => now() + aheadMs;
process.on('message', (message: { readonly aheadMs: number }) => {
  aheadMs = message.aheadMs;
  process.send?.('set');
});
process.channel?.unref();

// Simulates a defect: an unexpected error.
process.on('SIGUSR2', () => {
  throw new Error('A defect of the tests.');
});
