import type { CDPSession, Page } from 'playwright-core';

/** Slows the page's processor down by this factor. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  await (await debuggerOf(page)).send('Emulation.setCPUThrottlingRate', { rate });
}

/** Waits for the first paint of content. Returns milliseconds since the start of the navigation. */
export function firstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(FIRST_PAINT);
}

/** A string, because the code runs in the page. It uses an observer, because repeated queries would delay the paint. */
const FIRST_PAINT = `new Promise((resolve) => {
  const seen = (list) => {
    const [entry] = list.getEntriesByName('first-contentful-paint');
    if (entry) resolve(entry.startTime);
  };
  new PerformanceObserver(seen).observe({ type: 'paint', buffered: true });
})`;

/** Starts to count received bytes, compressed and with headers. Returns a function that returns the count. */
export async function bytesReceived(page: Page): Promise<() => number> {
  const session = await debuggerOf(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send('Network.enable');
  return () => bytes;
}

/** Bytes of the page's heap that are in use, after a collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await debuggerOf(page);
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

const sessions = new WeakMap<Page, Promise<CDPSession>>();

function debuggerOf(page: Page): Promise<CDPSession> {
  const known = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, known);
  return known;
}
