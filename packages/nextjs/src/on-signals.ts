/**
 * Calls `stop` once, at the first SIGTERM or SIGINT. Then ends the process if NEXT_MANUAL_SIG_HANDLE is set or nothing
 * else listens to the signal; otherwise, Next.js or another listener ends it. Ignores further signals, because Ctrl-C
 * arrives twice, from the terminal and from `next dev`.
 */
export function onSignals(stop: () => Promise<void>): void {
  let isStopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    const isOurs = Boolean(process.env['NEXT_MANUAL_SIG_HANDLE']) || process.listenerCount(signal) === 1;
    void stop().finally(() => {
      if (isOurs) process.exit();
    });
  };
  process.on('SIGTERM', handle).on('SIGINT', handle);
}
