import type { Capability } from '../domain/instance/instance.ts';
import type { Gateway, LinkMethod } from '../ports/gateway.ts';

/** A messaging network that instances can be on. Not in the API specification. */
export interface NetworkResource {
  /** The `network` of its instances, such as `whatsapp`. */
  readonly name: string;
  /** The name for people, such as `WhatsApp`. */
  readonly title: string;
  /** The kinds of messages that its instances can send, and whether they list groups. */
  readonly capabilities: readonly Capability[];
  /** How a phone is linked: by scanning a QR (`qr`), or by typing a code (`pairing_code`). */
  readonly linking: readonly LinkMethod[];
  /** Whether requests control its phones. */
  readonly simulated: boolean;
  /** Whether an instance whose creator names no network is on it. */
  readonly default: boolean;
}

export function networkResource(
  { network, title, linking, isSimulated = false }: Gateway,
  { capabilities, isDefault }: { readonly capabilities: readonly Capability[]; readonly isDefault: boolean },
): NetworkResource {
  return {
    name: network,
    title,
    capabilities: [...capabilities],
    linking: [...linking],
    simulated: isSimulated,
    default: isDefault,
  };
}
