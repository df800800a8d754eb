/** One of the processes that share the instances. */
export interface OwnerShare {
  readonly owner: string;
  /** How many instances in need of a gateway are held by this process or reserved for it. */
  readonly held: number;
  readonly registeredAt: number;
  /**
   * The time until which this process asks the others for instances, which they reserve for it; 0 if it does not ask.
   */
  readonly asksUntil: number;
}

/** The instances to share and the processes that share them, all counted at one moment. */
export interface GatewayShare {
  /** The registered owners, including the caller, in the order of their names. */
  readonly owners: readonly OwnerShare[];
  /** How many instances need a gateway, whether held or not. */
  readonly instances: number;
}

/**
 * A process that lacks less than this part of its share does not start asking for instances, because a handover
 * interrupts a connection.
 */
const WORTH_ASKING = 0.2;

/**
 * Whether an owner asks the others for instances, because it holds much less than its share. An owner that asks
 * continues until no other owner holds at least two more.
 */
export function mayAsk(owner: string, { owners, instances }: GatewayShare, isAsking: boolean): boolean {
  const held = owners.find((one) => one.owner === owner)?.held ?? 0;
  const isShort = owners.some((other) => other.held - held >= 2);
  const missing = Math.floor(instances / owners.length) - held;
  return isShort && (isAsking || (missing >= 1 && missing >= WORTH_ASKING * (held + missing)));
}

/**
 * The receivers of the instances that an owner hands over: one entry for each instance, at most `limit`. In each step,
 * the owner with the most instances passes one on to the receiver with the fewest, until they are even or differ by
 * one. Owners that see the same counts compute the same steps, and each carries out only its own, so that together they
 * do not pass on too many.
 */
export function handOvers(
  owner: string,
  { owners }: Pick<GatewayShare, 'owners'>,
  { limit, mayReceive }: { readonly limit: number; readonly mayReceive: (other: OwnerShare) => boolean },
): readonly string[] {
  const counts = owners.map((one) => ({ ...one, mayReceive: one.owner !== owner && mayReceive(one) }));
  const receivers: string[] = [];
  while (receivers.length < limit) {
    const giver = counts.reduce((a, b) => (b.held > a.held ? b : a), { owner: '', held: 0 });
    const receiver = counts.filter((one) => one.mayReceive).toSorted((a, b) => a.held - b.held)[0];
    if (!receiver || giver.held - receiver.held < 2) break;
    giver.held -= 1;
    receiver.held += 1;
    if (giver.owner === owner) receivers.push(receiver.owner);
  }
  return receivers;
}
