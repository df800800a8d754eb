import type { Gateway, GatewayContext } from '@trunkline/core/spi/gateway';
import { WHATSAPP } from './network-facts.ts';
import { readOptions } from './options.ts';
import type { BaileysGatewayOptions } from './options.ts';
import { isValueOfPerson } from './session/values-of-person.ts';
import { quietConsole } from './socket/baileys-logs.ts';
import type { WhatsAppConnections } from './whatsapp-connections.ts';

/** A gateway to WhatsApp. */
export interface BaileysGateway extends Gateway {
  /**
   * The number of arrivals since the gateway was created that became neither a message nor an event of this API
   * (statuses, posts in channels, votes in polls…), by kind. `plaintext` counts unencrypted messages that name a person
   * as sender.
   */
  skipped(): ReadonlyMap<string, number>;
}

/**
 * Creates a gateway to WhatsApp that uses the protocol of WhatsApp's web client. Throws a `TypeError` that names the
 * first wrong option.
 */
export function baileysGateway(options: BaileysGatewayOptions = {}): BaileysGateway {
  const settings = readOptions(options);
  const skipped = new Map<string, number>();
  let attached: GatewayContext | null = null;

  const context = (): GatewayContext => {
    if (!attached)
      throw new Error(
        'The Baileys gateway is not part of a Trunkline yet: give it to createTrunkline in the option "gateways".',
      );
    return attached;
  };
  const note = (kind: string): void => {
    skipped.set(kind, (skipped.get(kind) ?? 0) + 1);
  };
  let loaded: Promise<WhatsAppConnections> | undefined;
  /** Loads Baileys when the first instance connects: that takes longer than the rest of a server's start. */
  const connections = (): Promise<WhatsAppConnections> =>
    (loaded ??= import('./whatsapp-connections.ts').then(({ whatsAppConnections }) =>
      whatsAppConnections({ settings, context, skipped: note }),
    ));

  return {
    ...WHATSAPP,
    attach(given) {
      attached = given;
      quietConsole();
    },
    open: async (session, listener, options) => (await connections()).open(session, listener, options),
    unlink: async (session, options) => (await connections()).unlink(session, options),
    isSessionValueOf: isValueOfPerson,
    skipped: () => skipped,
  };
}
