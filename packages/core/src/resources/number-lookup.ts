import type { NumberLookup } from '../domain/instance/number-lookup.ts';

/** The result of the instance's network for a number. */
export interface NumberLookupResource {
  /** The digits that were asked about. */
  readonly number: string;
  /** Whether the network has the number. */
  readonly on_network: boolean;
  /**
   * The digits under which the network registers the number, which may differ, as with Brazil's ninth digit; null if it is
   * not there, or if the network does not say.
   */
  readonly registered_number: string | null;
}

export function numberLookupResource({
  number,
  isOnNetwork,
  registeredNumber,
}: NumberLookup): NumberLookupResource {
  return { number, on_network: isOnNetwork, registered_number: registeredNumber };
}
