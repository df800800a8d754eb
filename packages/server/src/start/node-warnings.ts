type Report = (warning: Error) => void;

/** The function that reports Node's warnings; null until `hideSqliteWarning` has run. */
let report: Report | null = null;

/**
 * Replaces Node's own listener for warnings, which prints them as prose. Drops the warning of Node 22 that SQLite is
 * experimental, because users cannot act on it. Must be called while a module that loads SQLite is evaluated, because
 * the warning comes right after.
 */
export function hideSqliteWarning(): void {
  for (const listener of process.listeners('warning')) {
    if (listener.name !== 'onWarning' || report !== null) continue;
    process.off('warning', listener);
    report = listener;
    process.on('warning', (warning) => {
      if (!isAboutSqlite(warning)) report?.(warning);
    });
  }
}

/** Passes the warnings of Node.js to `to` instead of printing them as prose on stderr. */
export function reportWarnings(to: Report): void {
  hideSqliteWarning();
  report = to;
}

function isAboutSqlite({ name, message }: Error): boolean {
  return name === 'ExperimentalWarning' && message.startsWith('SQLite ');
}
