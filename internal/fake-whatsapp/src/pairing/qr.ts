import { randomBytes } from 'node:crypto';
import type { Connection } from '../connection/connection.ts';
import { SERVER, seconds, stanza } from '../stanza.ts';

const REFS = 6;

/** The refs of the QR codes that a connection may show. */
const offered = new WeakMap<Connection, readonly string[]>();

export function offerQr(connection: Connection): void {
  const { network } = connection;
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(24).toString('base64')}`);
  offered.set(connection, refs);
  const nodes = refs.map((ref) => stanza('ref', {}, Buffer.from(ref)));
  connection.send(
    stanza('iq', { from: SERVER, type: 'set', id: network.newStanzaId(), xmlns: 'md' }, [
      stanza('pair-device', {}, nodes),
    ]),
  );
  network.chronicle.actions.add({ type: 'qr_offered', account: null });
}

/** Secrets that the network has retired: scanning a QR with such a secret cannot link its client. */
const retired = new WeakMap<Connection, Set<string>>();

/** Retires the secret of a QR, so that the client has to show a QR with a new one. */
export function retireSecret(connection: Connection, qrText: string): void {
  const { network } = connection;
  const secrets = retired.get(connection) ?? new Set();
  retired.set(connection, secrets.add(readQr(qrText).advSecret.toString('base64')));
  const attrs = {
    id: network.newStanzaId(),
    from: SERVER,
    type: 'companion_reg_refresh',
    t: seconds(network.now()),
  };
  connection.send(stanza('notification', attrs, [stanza('companion_reg_refresh')]));
}

export function isRetired(connection: Connection, advSecret: Buffer): boolean {
  return retired.get(connection)?.has(advSecret.toString('base64')) ?? false;
}

export function hasOffered(connection: Connection, ref: string): boolean {
  return offered.get(connection)?.includes(ref) ?? false;
}

/** Reads the text of a QR: `[prefix#]ref,noiseKey,identityKey,advSecret[,…]`, keys in base64. */
export function readQr(text: string): {
  readonly ref: string;
  readonly identity: Buffer;
  readonly advSecret: Buffer;
} {
  const [ref, , identity, advSecret] = text.slice(text.indexOf('#') + 1).split(',');
  if (ref === undefined || identity === undefined || advSecret === undefined) {
    throw new Error('this text is not a QR of WhatsApp');
  }
  return { ref, identity: Buffer.from(identity, 'base64'), advSecret: Buffer.from(advSecret, 'base64') };
}
