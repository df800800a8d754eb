import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Person } from '@trunkline/fake-whatsapp';
import { buildProgram } from '@trunkline/test-support/build-program';
import { startChild } from '../child.ts';
import type { Child } from '../child.ts';
import type { StorageName } from '../storages.ts';
import type { FeelFacts, FeelPlan, TrunklinePlan } from './plan.ts';

const STORAGE_OF = { 'by hand': null, SQLite: 'sqlite', PostgreSQL: 'postgres' } as const satisfies Record<
  string,
  StorageName | null
>;
export type Variant = keyof typeof STORAGE_OF;
export const VARIANTS: readonly Variant[] = ['by hand', 'SQLite', 'PostgreSQL'];

export type Programs = Readonly<Record<'byHand' | 'trunkline', URL>>;

const SOURCES: Programs = {
  byHand: new URL('./by-hand.ts', import.meta.url),
  trunkline: new URL('./trunkline.ts', import.meta.url),
};

/** Bundles, which start in half the time of their sources. */
export async function bundlesIn(directory: string): Promise<Programs> {
  const bundle = async (program: URL): Promise<URL> =>
    pathToFileURL(await buildProgram(fileURLToPath(program), directory));
  return { byHand: await bundle(SOURCES.byHand), trunkline: await bundle(SOURCES.trunkline) };
}

export function startProgram(
  variant: Variant,
  plan: FeelPlan,
  { byHand, trunkline } = SOURCES,
): Promise<Child<FeelFacts>> {
  const storage = STORAGE_OF[variant];
  if (storage === null) return startChild<FeelFacts>(byHand, JSON.stringify(plan));
  return startChild<FeelFacts>(trunkline, JSON.stringify({ ...plan, storage } satisfies TrunklinePlan));
}

export function post(facts: FeelFacts, { phoneNumber }: Person, text: string): Promise<Response> {
  return fetch(facts.sendUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...facts.headers },
    body: JSON.stringify({ ...facts.fields, to: phoneNumber, text }),
  });
}
