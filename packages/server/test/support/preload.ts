// Loaded into a server before anything else.

// Moves its clock ahead, as if it ran that much later, and sets it again when the test says so. Timers and the monotonic
// clock go on, as they do where a machine's clock is set.
let aheadMs = Number(process.env['CLOCK_AHEAD_MS']);
const now = Date.now;
Date.now = () => now() + aheadMs;
process.on('message', (message: { readonly aheadMs: number }) => {
  aheadMs = message.aheadMs;
  process.send?.('set');
});
process.channel?.unref();

// Stands for a defect: an error that nobody has reckoned with.
process.on('SIGUSR2', () => {
  throw new Error('A defect of the tests.');
});
