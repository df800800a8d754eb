import type { Person } from '@trunkline/fake-whatsapp';
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

export function startProgram(variant: Variant, plan: FeelPlan): Promise<Child<FeelFacts>> {
  const storage = STORAGE_OF[variant];
  const own: TrunklinePlan | FeelPlan = storage === null ? plan : { ...plan, storage };
  const program = storage === null ? './by-hand.ts' : './trunkline.ts';
  return startChild<FeelFacts>(new URL(program, import.meta.url), JSON.stringify(own));
}

export function post(facts: FeelFacts, { phoneNumber }: Person, text: string): Promise<Response> {
  return fetch(facts.sendUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...facts.headers },
    body: JSON.stringify({ ...facts.fields, to: phoneNumber, text }),
  });
}
