import { once } from 'node:events';
import { createServer } from 'node:http';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { launch } from './launch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL at which the processes of the run ask for the address of their browser. */
    browserDesk: string;
  }
}

/**
 * One browser for all test files of a run, because starting and ending a browser takes as much CPU time as a few tests.
 * It is started when the first file asks for it, and each file has its own profiles. It belongs to this process,
 * because the processes of the test files come and go. If it crashes, the next file gets a new browser.
 */
export default async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | undefined;
  const start = async (): Promise<BrowserServer> => {
    const started = await launch();
    started.on('close', () => (browser = undefined));
    return started;
  };
  const desk = createServer((_request, response) => {
    browser ??= start();
    browser.then(
      (started) => response.end(started.wsEndpoint()),
      ({ message }: Error) => response.writeHead(503).end(message),
    );
  });
  await once(desk.listen(0, '127.0.0.1'), 'listening');
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  project.provide('browserDesk', `http://127.0.0.1:${address.port}`);
  return async () => {
    desk.close();
    await (await browser?.catch(() => undefined))?.close();
  };
}
