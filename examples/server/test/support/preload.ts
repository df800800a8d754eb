// Loaded into a server before anything else.

// Moves its clock ahead, as if it ran that much later.
const aheadMs = Number(process.env['CLOCK_AHEAD_MS']);
const now = Date.now;
Date.now = () => now() + aheadMs;

// Stands for a defect: an error that nobody has reckoned with.
process.on('SIGUSR2', () => {
  throw new Error('A defect of the tests.');
});
