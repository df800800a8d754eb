import type { Capability } from '../domain/instance/instance.ts';
import type { CredentialField, Gateway, LinkMethod } from '../ports/gateway.ts';

/** A messaging network that instances can be on. Not in the API specification. */
export interface NetworkResource {
  /** The `network` of its instances, such as `whatsapp`. */
  readonly name: string;
  /** The name for people, such as `WhatsApp`. */
  readonly title: string;
  /** The kinds of messages that its instances can send, and whether they list groups. */
  readonly capabilities: readonly Capability[];
  /**
   * How a number is linked: by scanning a QR (`qr`), by typing a code (`pairing_code`), or by giving its instance
   * `credentials`.
   */
  readonly linking: readonly LinkMethod[];
  /** The `credentials` that an instance can have; empty if it is not linked by credentials. */
  readonly credentials: readonly CredentialField[];
  /** Whether requests control its phones. */
  readonly simulated: boolean;
  /** Whether an instance whose creator names no network is on it. */
  readonly default: boolean;
}

export function networkResource(
  { network, title, linking, credentials = [], isSimulated = false }: Gateway,
  { capabilities, isDefault }: { readonly capabilities: readonly Capability[]; readonly isDefault: boolean },
): NetworkResource {
  return {
    name: network,
    title,
    capabilities: [...capabilities],
    linking: [...linking],
    credentials: credentials.map(({ name, secret, required, about }) => ({ name, secret, required, about })),
    simulated: isSimulated,
    default: isDefault,
  };
}
