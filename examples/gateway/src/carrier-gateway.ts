import type {
  ClosedReason,
  Gateway,
  GatewayConnection,
  GatewayContext,
  GatewayListener,
  IncomingContent,
  Logger,
  Session,
} from '@trunkline/core/spi/gateway';
import { Carrier } from './carrier.ts';
import type { CarrierEvent, CarrierMessage } from './protocol.ts';

/** A gateway to the carrier at this URL. It keeps nothing but the token of each device, in the session of its instance. */
export function carrierGateway(url: string): Gateway {
  let context: GatewayContext | null = null;
  const carrierOf = async (session: Session): Promise<Carrier> => {
    if (!context) throw new Error('The gateway is not part of a Trunkline yet: give it to createTrunkline.');
    const token = (await session.load()).get('token');
    return new Carrier(url, context, token ? new TextDecoder().decode(token) : null);
  };
  return {
    network: 'carrier',
    title: 'Carrier',
    linking: ['qr', 'pairing_code'],
    capabilities: ['text', 'image', 'document', 'audio', 'video', 'groups'],
    attach(given) {
      context = given;
    },
    // Ends with all 16 bytes in hexadecimal: a receipt then leads back to its message without an index of its own.
    newMessageId: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    async open(session, listener, { pairingNumber } = { pairingNumber: null }) {
      const carrier = await carrierOf(session);
      return openConnection({ carrier, session, listener, pairingNumber, logger: context?.logger });
    },
    unlink: async (session) => (await carrierOf(session)).unlink(),
  };
}

interface ConnectionParts {
  readonly carrier: Carrier;
  readonly session: Session;
  readonly listener: GatewayListener;
  readonly pairingNumber: string | null;
  readonly logger: Logger | undefined;
}

function openConnection({
  carrier,
  session,
  listener,
  pairingNumber,
  logger,
}: ConnectionParts): GatewayConnection {
  const closed = new AbortController();

  const listen = async (): Promise<void> => {
    let reason: ClosedReason = { kind: 'dropped', detail: 'connection_lost' };
    try {
      for await (const event of carrier.events(pairingNumber ?? '', closed.signal)) {
        if (event.type === 'unlinked') reason = { kind: 'unlinked' };
        else if (event.type === 'refused') reason = { kind: 'failed', code: 'device_refused' };
        else await report(event);
      }
    } catch (error) {
      logger?.debug({ err: error, instanceId: session.instanceId }, 'a connection to the carrier was lost');
    }
    // Nothing is reported of a connection that was closed here.
    if (closed.signal.aborted) return;
    closed.abort();
    await listener.closed(reason);
  };

  const report = async (event: Exclude<CarrierEvent, { type: 'unlinked' | 'refused' }>): Promise<void> => {
    if (event.type === 'qr') return listener.qr(event.code, event.expiresAt, event.pairingCode);
    if (event.type === 'ready') return listener.connected(event.profile);
    if (event.type === 'groups') return listener.groups(event.groups, { full: event.full });
    if (event.type === 'linked') {
      await session.save(new Map([['token', new TextEncoder().encode(event.token)]]));
      carrier.token = event.token;
      return;
    }
    // The carrier gets the outcome once the event is stored, which may take minutes: the next events do not wait for that.
    const stored = event.type === 'receipt' ? listener.receipt(event) : listener.message(messageOf(event));
    void stored
      .then(
        () => 'taken',
        () => 'refused',
      )
      .then((outcome) => carrier.call(`/events/${event.id}/${outcome}`, { method: 'POST' }))
      // If the outcome is lost, the event comes again.
      .catch((error: unknown) =>
        logger?.debug(
          { err: error, event: event.id },
          'an event of the carrier could not be confirmed: the carrier sends it again',
        ),
      );
  };

  const messageOf = ({ networkId, from, group, text, file }: CarrierMessage) => {
    const content: IncomingContent = file
      ? {
          type: file.type,
          caption: text || null,
          file: {
            mimeType: file.mimeType,
            filename: null,
            reference: new TextEncoder().encode(file.id),
            open: () => carrier.download(file.id),
          },
        }
      : { type: 'text', text };
    return { networkId, senderId: from, from, groupNetworkId: group, content };
  };

  listen().catch((error: unknown) => {
    logger?.warn(
      { err: error, instanceId: session.instanceId },
      'the end of a connection could not be recorded: check the database',
    );
  });
  return {
    async send(message) {
      if (closed.signal.aborted) return { kind: 'unknown', reason: 'the connection is closed' };
      return carrier.send(message);
    },
    openFile: (reference) => carrier.download(new TextDecoder().decode(reference)),
    async close() {
      closed.abort();
    },
    async logout() {
      closed.abort();
      await carrier.unlink();
    },
  };
}
