/** Starts the service with the server, so that it sends and receives before the first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') await (await import('./lib/messaging')).messaging();
}
