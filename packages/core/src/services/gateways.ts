import { FILE_CAPABILITIES } from '../domain/instance/instance.ts';
import type { Capability, Instance } from '../domain/instance/instance.ts';
import { ACTION_CAPABILITIES } from '../domain/message/message-action.ts';
import type { ActionKind } from '../domain/message/message-action.ts';
import { refuse } from '../domain/result.ts';
import type { Gateway } from '../ports/gateway.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage/storage.ts';

/** An instance, or a network, which has all capabilities of its gateway. */
export type Capable = Pick<Instance, 'network'> & Partial<Pick<Instance, 'capabilities'>>;

/** The gateways of this process, by the names of their networks. */
export interface Gateways {
  /** At least one, in the order of the option. */
  readonly all: readonly Gateway[];
  /** The network of the first gateway, which a new instance gets unless its creator names another. */
  readonly defaultNetwork: string;
  /** The networks whose instances this process connects. */
  readonly connected: readonly string[];
  /** Null if this process has no gateway for the network. */
  find(network: string): Gateway | null;
  /** Throws if this process has no gateway for the network. */
  get(network: string): Gateway;
  /**
   * The capabilities of an instance, or of all instances of a network: those of its gateway that its number has, if
   * known, and that this process uses, which can keep no files without a media store. None if this process has no
   * gateway for the network.
   */
  capabilities(of: Capable): readonly Capability[];
  /**
   * How long after a message was sent the network allows an action of this kind on it, in milliseconds; null without a
   * limit.
   */
  actionWithinMs(network: string, kind: ActionKind): number | null;
  /** How many messages of one instance on the network are sent at the same time. */
  sendsAtOnce(network: string): number;
}

export function createGateways(
  all: readonly Gateway[],
  { keepsFiles }: { readonly keepsFiles: boolean },
): Gateways {
  const [first] = all;
  if (!first) throw new TypeError('A service needs at least one gateway.');
  const byNetwork = new Map(
    all.map((gateway) => [
      gateway.network,
      {
        gateway,
        capabilities: keepsFiles ? gateway.capabilities : gateway.capabilities.filter(needsNoFiles),
      },
    ]),
  );
  const find = (network: string): Gateway | null => byNetwork.get(network)?.gateway ?? null;
  return {
    all,
    defaultNetwork: first.network,
    connected: all
      .filter(({ connectsElsewhere }) => connectsElsewhere !== true)
      .map(({ network }) => network),
    find,
    get(network) {
      const gateway = find(network);
      if (!gateway) throw new Error(noGatewayText(network));
      return gateway;
    },
    capabilities: ({ network, capabilities }) =>
      ownOf(byNetwork.get(network)?.capabilities ?? [], capabilities),
    actionWithinMs: (network, kind) => find(network)?.actionsWithinMs?.[ACTION_CAPABILITIES[kind]] ?? null,
    sendsAtOnce: (network) => find(network)?.sendsAtOnce ?? 1,
  };
}

/** The capabilities of a gateway that a number has; null or undefined for a number that has all. */
export function ownOf(
  all: readonly Capability[],
  own: readonly Capability[] | null | undefined,
): readonly Capability[] {
  return own ? all.filter((capability) => own.includes(capability)) : all;
}

/** The refusal of a request for an instance whose network this process does not have. */
export function noGateway(network: string): ReturnType<typeof refuse> {
  return refuse('GATEWAY_UNAVAILABLE', noGatewayText(network));
}

/** The refusal of a request that the network of an instance, or its number, cannot do. */
export function noCapability(capability: Capability): ReturnType<typeof refuse> {
  return refuse(
    'UNSUPPORTED_MESSAGE_TYPE',
    `The network of the instance has no ${capability.replace('_', ' ')}: its capabilities list what it has.`,
  );
}

/**
 * Logs the networks of instances that should be connected but that this process has no gateway for. If they cannot be
 * read, which is logged, it logs nothing more.
 */
export async function logMissingNetworks({
  gateways,
  logger,
  storage,
}: {
  readonly gateways: Gateways;
  readonly logger: Logger;
  readonly storage: Pick<Storage<unknown>, 'leases'>;
}): Promise<void> {
  const needed = await storage.leases.neededNetworks().catch((): readonly string[] => []);
  const missing = needed.filter((network) => !gateways.find(network));
  if (missing.length === 0) return;
  logger.warn(
    { networks: missing },
    'this process has no gateway for the networks of some instances: it does not connect them and refuses requests for them; add the networks to its gateways (GATEWAYS), unless other processes have them',
  );
}

function noGatewayText(network: string): string {
  return `The instance is on the network "${network}", for which this process has no gateway: add it to the gateways of the service (gateways, GATEWAYS), or send the request to a process that has it.`;
}

function needsNoFiles(capability: Capability): boolean {
  return !FILE_CAPABILITIES.includes(capability);
}
