export type NetworkName = 'sandbox' | 'sandbox_credentials' | 'whatsapp';

/** A messaging network that GATEWAYS can name. */
interface OfferedNetwork {
  readonly title: string;
  /** A few words for a person who chooses. */
  readonly hint: string;
  /** An address of the network that the server has to reach; null if there is none. */
  readonly reaches: string | null;
}

/**
 * The networks that the server offers. Together with `networks.ts` and the files of the sandbox, this is the only place
 * in the server that names a network.
 */
export const OFFERED_NETWORKS: Readonly<Record<NetworkName, OfferedNetwork>> = {
  sandbox: { title: 'Sandbox', hint: 'simulated phones, to try it', reaches: null },
  whatsapp: {
    title: 'WhatsApp',
    hint: 'needs the package @trunkline/gateway-baileys',
    reaches: 'https://web.whatsapp.com/',
  },
  sandbox_credentials: {
    title: 'Sandbox with credentials',
    hint: 'simulated numbers, linked without a phone',
    reaches: null,
  },
};

export const NETWORK_NAMES: readonly NetworkName[] = Object.keys(OFFERED_NETWORKS) as NetworkName[]; // safe: its keys

/** The default of GATEWAYS. */
export const DEFAULT_NETWORKS: readonly NetworkName[] = ['sandbox'];

/** The networks in Markdown, each with a link to its page. */
export const NETWORKS_IN_WORDS =
  '`sandbox` ([simulated phones](sandbox.md)), `sandbox_credentials` ([simulated numbers](sandbox.md#numbers-that-are-linked-by-credentials)), `whatsapp` ([WhatsApp](whatsapp.md))';

/** The network to which PACE applies, in Markdown. */
export const PACED_IN_WORDS = '`whatsapp`';
