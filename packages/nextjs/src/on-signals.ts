/**
 * Calls `stop` once, at the first SIGTERM or SIGINT, and then ends the process, unless Next.js does (it does unless
 * NEXT_MANUAL_SIG_HANDLE is set) or another listener handles the signal. Ignores further signals, because Ctrl-C
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
