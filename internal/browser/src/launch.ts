import { chromium } from 'playwright-core';
import type { BrowserServer } from 'playwright-core';
import { HANG_MS } from '@trunkline/test-support';
import { findExecutable } from './executable.ts';

const FLAGS = [
  // Root needs this flag, and it is safe because the pages are our own.
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-webgl',
  '--font-render-hinting=none',
];

/**
 * Starts the browser of this machine, which ends with this process. Signals are left to this process's own handlers.
 */
export async function launch(): Promise<BrowserServer> {
  const { path, environment } = await findExecutable();
  return chromium.launchServer({
    executablePath: path,
    args: FLAGS,
    env: { ...process.env, ...environment },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: HANG_MS,
  });
}
