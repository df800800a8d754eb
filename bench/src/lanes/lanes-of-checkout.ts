// Drains lanes by the `open-lanes.ts` whose URL is the first argument: ours, or that of another checkout.
import { serveParent } from '../child.ts';
import type { openLanes } from './open-lanes.ts';

const [url = '', endpoints = ''] = process.argv.slice(2);
const other = (await import(url)) as { openLanes: typeof openLanes }; // the same file of another checkout
const lanes = await other.openLanes(Number(endpoints));

/** Fills the lanes with a backlog, or drains some deliveries and returns how many per second. */
export type LanesQuestion = { readonly fill: number } | { readonly queue: boolean; readonly drain: number };

serveParent(
  null,
  async (question) => {
    const asked = question as LanesQuestion; // the parent sends no other
    if ('fill' in asked) {
      await lanes.fill(asked.fill);
      return null;
    }
    if (asked.queue) await lanes.queue(asked.drain, (index) => index);
    return lanes.drain(asked.drain);
  },
  () => lanes.remove(),
);
