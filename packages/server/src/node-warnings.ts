type Report = (warning: Error) => void;

/** The function that gets the warnings of Node.js; null before they are taken from it. */
let report: Report | null = null;

/**
 * Takes the warnings of Node.js from its own listener, which prints them as prose, and leaves out one: that SQLite is
 * experimental on Node 22, about which nobody can do anything. Called as a module that loads SQLite is evaluated, since
 * the warning comes right after that.
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

/** Reports the warnings of Node.js in another way than as prose on stderr. */
export function reportWarnings(to: Report): void {
  hideSqliteWarning();
  report = to;
}

function isAboutSqlite({ name, message }: Error): boolean {
  return name === 'ExperimentalWarning' && message.startsWith('SQLite ');
}
