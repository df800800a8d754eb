import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Person } from '@trunkline/fake-whatsapp';
import { buildProgram } from '@trunkline/test-support/build-program';
import { startChild } from '../child.ts';
import type { Child } from '../child.ts';
import type { StorageName } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';
import type { FeelFacts, FeelPlan, TrunklinePlan } from './plan.ts';

const STORAGE_OF = { 'by hand': null, SQLite: 'sqlite', PostgreSQL: 'postgres' } as const satisfies Record<
  string,
  StorageName | null
>;
export type Variant = keyof typeof STORAGE_OF;
export const VARIANTS: readonly Variant[] = ['by hand', 'SQLite', 'PostgreSQL'];

const directory = makeDirectory();
process.once('exit', () => removeDirectory(directory));
/** Bundles, because sources take longer to start. */
const PROGRAMS = {
  byHand: await bundle('./by-hand.ts'),
  trunkline: await bundle('./trunkline.ts'),
};

export function startProgram(variant: Variant, plan: FeelPlan): Promise<Child<FeelFacts>> {
  const storage = STORAGE_OF[variant];
  const own: TrunklinePlan | FeelPlan = storage === null ? plan : { ...plan, storage };
  return startChild<FeelFacts>(storage === null ? PROGRAMS.byHand : PROGRAMS.trunkline, JSON.stringify(own));
}

async function bundle(program: string): Promise<URL> {
  return pathToFileURL(await buildProgram(fileURLToPath(new URL(program, import.meta.url)), directory));
}

export function post(facts: FeelFacts, { phoneNumber }: Person, text: string): Promise<Response> {
  return fetch(facts.sendUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...facts.headers },
    body: JSON.stringify({ ...facts.fields, to: phoneNumber, text }),
  });
}
