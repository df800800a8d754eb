import { parsePhoneNumber } from '../../domain/message/phone-number.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { connectInput } from '../../inputs/instances.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { changeInstance } from './change-instance.ts';

/** Starts to connect; with a `pairing_phone_number`, a pairing shows a code for that phone beside its QR. */
export async function connectInstance(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  input: unknown,
): Promise<Result<Instance>> {
  const read = readInput(connectInput, input);
  if (!read.ok) return read;
  const pairingNumber = readNumber(read.value.pairing_phone_number);
  if (!pairingNumber.ok) return pairingNumber;
  return changeInstance(
    context,
    { workspaceId, id, lease: null },
    { kind: 'connect', pairingNumber: pairingNumber.value },
  );
}

/** By the rules for a recipient, without the groups. */
function readNumber(text: string | null | undefined): Result<string | null> {
  if (text === undefined || text === null) return ok(null);
  const number = parsePhoneNumber(text);
  return number.ok
    ? ok(number.digits)
    : invalid({ pairing_phone_number: [`Must be a phone number, which ${number.rule}.`] });
}
