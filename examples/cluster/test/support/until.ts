import { setTimeout } from 'node:timers/promises';

/**
 * Looks again and again until there is an answer other than undefined, null or false. Generous by default: a busy
 * machine is no failure.
 */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  withinMs = 60_000,
): Promise<Exclude<Value, undefined | null | false>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) {
      return found as Exclude<Value, undefined | null | false>; // just checked, which TypeScript does not see
    }
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain until ${what}.`);
    await setTimeout(20);
  }
}
