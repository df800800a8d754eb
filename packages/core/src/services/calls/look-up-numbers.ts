import type { NumberLookup } from '../../domain/instance/number-lookup.ts';
import { parsePhoneNumber } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { checkMaySend } from '../../domain/workspace/plan-rules.ts';
import { lookupInput } from '../../inputs/instances.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import { findActiveWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from '../instances/instances.ts';
import { callInstance, checkCallable } from './call-instance.ts';

/** Returns whether numbers are on the network of an instance: an entry for each that was given, in this order. */
export async function lookUpNumbers(
  context: ServiceContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  input: unknown,
): Promise<Result<readonly NumberLookup[]>> {
  const read = readInput(lookupInput, input);
  if (!read.ok) return read;
  const digits = readNumbers(read.value.numbers);
  if (!digits.ok) return digits;
  const workspace = await findActiveWorkspace(context, workspaceId);
  if (!workspace.ok) return workspace;
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return found;
  const allowed = checkMaySend(workspace.value.plan);
  if (!allowed.ok) return allowed;
  const callable = checkCallable(context, found.value, 'lookup');
  if (!callable.ok) return callable;
  const numbers = [...new Set(digits.value)];
  const looked = await callInstance(context, found.value, { kind: 'lookup', numbers });
  if (!looked.ok) return looked;
  const results = new Map((looked.value.numbers ?? []).map((result) => [result.number, result]));
  const all = digits.value.flatMap((number) => results.get(number) ?? []);
  return all.length === digits.value.length
    ? ok(all)
    : refuse('GATEWAY_ERROR', 'The messaging network did not say anything about some of the numbers.');
}

function readNumbers(given: readonly string[]): Result<readonly string[]> {
  const read = given.map(parsePhoneNumber);
  const wrong = read.flatMap((number, index) =>
    number.ok ? [] : [`Entry ${index + 1} must be a phone number, which ${number.rule}.`],
  );
  return wrong.length > 0
    ? invalid({ numbers: wrong })
    : ok(read.flatMap((number) => (number.ok ? [number.digits] : [])));
}
