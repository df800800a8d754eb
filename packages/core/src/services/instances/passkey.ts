import { refusePasskey } from '../../domain/instance/instance-state.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { flawInCredential } from '../../domain/instance/passkey.ts';
import type { PasskeyAnswer, PasskeyStep, StoredPasskeyStep } from '../../domain/instance/passkey.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { passkeyAnswerInput } from '../../inputs/instances.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import type { PasskeyResource } from '../../resources/instance.ts';
import { timestamp } from '../../resources/time.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance, noInstance } from './instances.ts';
import { runOperation } from './operations.ts';
import { passkeyScript } from './passkey-script.ts';
import { openPasskeyStep, sealPasskey } from './sealed-values.ts';

interface Target {
  readonly workspaceId: string;
  readonly id: string;
}

/** Returns the passkey step that the network waits for while it links a number. */
export async function readPasskey(context: ServiceContext, target: Target): Promise<Result<PasskeyResource>> {
  const current = await findStep(context, target);
  if (!current.ok) return current;
  const { step, stored } = current.value;
  const nothing = { request_options: null, page: null, script: null, code: null };
  const expires_at = timestamp(stored.expiresAt);
  switch (step.kind) {
    case 'assertion': {
      const { options, page } = step;
      return ok({
        ...nothing,
        step: step.kind,
        request_options: options,
        page,
        script: passkeyScript(options),
        expires_at,
      });
    }
    case 'phone':
      return ok({ ...nothing, step: step.kind, expires_at });
    case 'confirmation':
      return ok({ ...nothing, step: step.kind, code: step.code, expires_at });
  }
}

/** Passes the browser's answer to the network, and waits until the network has accepted it. */
export async function answerPasskey(
  context: ServiceContext,
  target: Target,
  input: unknown,
): Promise<Result<Instance>> {
  const read = readInput(passkeyAnswerInput, input);
  if (!read.ok) return read;
  const credential = read.value;
  const current = await findStep(context, target);
  if (!current.ok) return current;
  const { step } = current.value;
  if (step.kind !== 'assertion') {
    return refuse(
      'PASSKEY_NOT_AVAILABLE',
      'The network has accepted the passkey already, and does not wait for another answer.',
    );
  }
  const flaw = flawInCredential(credential, step.options);
  if (flaw !== null) return invalid({ response: [flaw] });
  return pass(context, target, { kind: 'assertion', credential });
}

/** Confirms that the phone shows the code of the current step. */
export async function confirmPasskey(context: ServiceContext, target: Target): Promise<Result<Instance>> {
  const current = await findStep(context, target);
  if (!current.ok) return current;
  if (current.value.step.kind !== 'confirmation') {
    return refuse('PASSKEY_NOT_AVAILABLE', 'The network has no code to confirm at this step of the passkey.');
  }
  return pass(context, target, { kind: 'confirmation' });
}

async function pass(
  context: ServiceContext,
  target: Target,
  answer: PasskeyAnswer,
): Promise<Result<Instance>> {
  const sealedAnswer = sealPasskey(context.sealer, target.id, answer);
  const passed = await runOperation(context, target, { kind: 'passkey_answer', sealedAnswer });
  if (!passed.ok) return passed;
  // Null if the instance was deleted in the meantime.
  return passed.value ? ok(passed.value) : noInstance();
}

interface CurrentStep {
  readonly step: PasskeyStep;
  readonly stored: StoredPasskeyStep;
}

async function findStep(context: ServiceContext, { workspaceId, id }: Target): Promise<Result<CurrentStep>> {
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return found;
  const stored = found.value.passkey;
  if (!stored || stored.expiresAt <= context.clock.now()) return refusePasskey(found.value);
  return ok({ step: openPasskeyStep(context.sealer, id, stored), stored });
}
