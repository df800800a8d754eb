/** A person or a group, as networks address them. */
export interface ChatAddress {
  /** The digits of a number, or the network's id of a group; may be empty if there is a `contactNetworkId`. */
  readonly to: string;
  readonly isGroup: boolean;
  /** The network's id of the person, if it is known. */
  readonly contactNetworkId?: string | null;
}
