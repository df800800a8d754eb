import type { Instance } from '../../domain/instance/instance.ts';
import type { InstanceTrigger } from '../../domain/instance/instance-state.ts';
import { withFullStop } from '../../domain/full-stop.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { invalid } from '../../inputs/read-input.ts';
import type { Credentials, Gateway } from '../../ports/gateway.ts';
import type { ServiceContext } from '../context.ts';
import { credentialsPurpose } from '../sealer.ts';

/** The instance that credentials are for, and the proxy through which the network is reached. */
interface CredentialsOwner extends Pick<Instance, 'id' | 'network'> {
  /** Throws if the proxy cannot be used. */
  readonly proxyUrl: () => string | null;
}

/** Checks given credentials with the network, and returns the trigger that stores them. Null removes credentials. */
export async function checkCredentials(
  context: ServiceContext,
  { id, network, proxyUrl }: CredentialsOwner,
  given: Credentials | null,
): Promise<Result<InstanceTrigger>> {
  if (given === null) return ok({ kind: 'credentials_removed' });
  const gateway = context.gateways.get(network);
  const flaws = flawsOf(gateway, given);
  if (flaws.length > 0 || !gateway.checkCredentials) return invalid({ credentials: flaws });
  const through = { proxyUrl: proxyUrl() };
  // A failure has been logged, by the guard of the gateway.
  const check = await gateway.checkCredentials(given, through).catch(() => null);
  if (check === null)
    return refuse(
      'GATEWAY_ERROR',
      'The messaging network could not check the credentials, so nothing was changed: repeat the request later.',
    );
  if (check.kind === 'refused') return invalid({ credentials: [withFullStop(check.message)] });
  const sealedCredentials = context.sealer.sealText(JSON.stringify(given), credentialsPurpose(id));
  return ok({ kind: 'credentials_given', sealedCredentials, ...check.profile });
}

/** The flaws of credentials that the gateway's declaration shows, without any of their values. */
function flawsOf({ network, credentials: fields = [] }: Gateway, given: Credentials): readonly string[] {
  if (fields.length === 0)
    return [`Is not possible on the network "${network}": its instances are not linked by credentials.`];
  const unknown = Object.keys(given).filter((name) => !fields.some((field) => field.name === name));
  const missing = fields.filter(({ name, required }) => required && !Object.hasOwn(given, name));
  return [
    ...unknown
      .slice(0, 1)
      .map(
        (name) =>
          `Has ${JSON.stringify(name.slice(0, 40))}, which the network "${network}" does not know: it has ${fields.map((field) => field.name).join(', ')}.`,
      ),
    ...missing.map(({ name }) => `Lacks ${name}, which the network "${network}" requires.`),
  ];
}

/** Returns the credentials of an instance in the clear; null if it has none. */
export function openCredentials(
  { sealer }: Pick<ServiceContext, 'sealer'>,
  { id, sealedCredentials }: Pick<Instance, 'id' | 'sealedCredentials'>,
): Credentials | null {
  if (sealedCredentials === null) return null;
  // `checkCredentials` has sealed it.
  return JSON.parse(sealer.openText(sealedCredentials, credentialsPurpose(id))) as Credentials;
}

/** Whether an instance still has the credentials that `sealed` holds; true if it has none that can be opened. */
export function hasSameCredentials(
  context: Pick<ServiceContext, 'sealer'>,
  instance: Pick<Instance, 'id' | 'sealedCredentials'>,
  sealed: string,
): boolean {
  try {
    const [before, now] = [{ ...instance, sealedCredentials: sealed }, instance].map((one) =>
      JSON.stringify(openCredentials(context, one)),
    );
    return before === now;
  } catch {
    return true;
  }
}

/** Whether an instance cannot connect before a person has entered its credentials. */
export function lacksCredentials(
  { linking }: Pick<Gateway, 'linking'>,
  { sealedCredentials }: Pick<Instance, 'sealedCredentials'>,
): boolean {
  return sealedCredentials === null && linking.every((method) => method === 'credentials');
}
