import { randomBytes } from 'node:crypto';
import {
  Curve,
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  derivePairingCodeKey,
  hkdf,
  jidDecode,
} from '@whiskeysockets/baileys';
import type { KeyPair } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import { SERVER, bytesOf, children, seconds, stanza, textOf } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { LinkedAccount } from '../directory/linked-account.ts';
import { beginPairing } from './begin-pairing.ts';

interface CodeRequest {
  readonly phoneNumber: string;
  readonly ref: Buffer;
  /** The client's ephemeral key, encrypted under the code: salt (32), IV (16), key (32). */
  readonly wrappedKey: Buffer;
}

interface EnteredCode {
  readonly account: LinkedAccount;
  readonly ephemeral: KeyPair;
  readonly clientEphemeral: Buffer;
}

const requests = new WeakMap<Connection, CodeRequest>();
const entered = new WeakMap<Connection, EnteredCode>();

/** Handles the two queries with which a client pairs by a code. */
export function onLinkCode(connection: Connection, query: Stanza): void {
  const [node] = children(query, 'link_code_companion_reg');
  switch (node?.attrs['stage']) {
    case 'companion_hello':
      offerCode(connection, query, node);
      return;
    case 'companion_finish': {
      const refusal = connection.network.disturbances.typedCodeRefusal;
      if (refusal !== undefined) return connection.refuse(query, refusal, 'refused');
      connection.reply(query);
      finish(connection, node);
      return;
    }
    default:
      throw new Error(`unknown stage of pairing by code: ${node?.attrs['stage'] ?? 'none'}`);
  }
}

export function hasRequestedCode(connection: Connection, phoneNumber: string): boolean {
  return requests.get(connection)?.phoneNumber === phoneNumber;
}

/** The person types the code into the phone, which then sends its keys to the client. */
export async function enterCode(connection: Connection, account: LinkedAccount, code: string): Promise<void> {
  const request = requests.get(connection);
  if (request === undefined) throw new Error('the client has not asked for a code');
  const { wrappedKey, ref } = request;
  const clientKey = await derivePairingCodeKey(code, wrappedKey.subarray(0, 32));
  const clientEphemeral = aesDecryptCTR(wrappedKey.subarray(48, 80), clientKey, wrappedKey.subarray(32, 48));
  const ephemeral = Curve.generateKeyPair();
  entered.set(connection, { account, ephemeral, clientEphemeral });

  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const wrapped = aesEncryptCTR(ephemeral.public, await derivePairingCodeKey(code, salt), iv);
  const { network } = connection;
  const attrs = {
    id: network.newStanzaId(),
    from: SERVER,
    type: 'link_code_companion_reg',
    t: seconds(network.now()),
  };
  connection.send(
    stanza('notification', attrs, [
      stanza('link_code_companion_reg', { stage: 'primary_hello' }, [
        stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, Buffer.concat([salt, iv, wrapped])),
        stanza('primary_identity_pub', {}, account.device.creds.signedIdentityKey.public),
        stanza('link_code_pairing_ref', {}, ref),
      ]),
    ]),
  );
}

/** The browser names that the network accepts. Clients with other names get no code. */
const DISPLAY = /^(Chrome|Edge|Firefox|IE|Opera|Safari) \((Windows|Mac OS|Linux|Ubuntu)\)$/;

function offerCode(connection: Connection, query: Stanza, node: Stanza): void {
  const { chronicle, disturbances } = connection.network;
  const refusal = disturbances.codeRefusal;
  if (refusal !== undefined) return connection.refuse(query, refusal, 'refused');
  if (!DISPLAY.test(textOf(node, 'companion_platform_display'))) {
    return connection.refuse(query, 400, 'bad-request');
  }
  const phoneNumber = jidDecode(node.attrs['jid'])?.user ?? '';
  const wrappedKey = bytesOf(node, 'link_code_pairing_wrapped_companion_ephemeral_pub');
  const ref = randomBytes(20);
  requests.set(connection, { phoneNumber, ref, wrappedKey });
  const response = stanza('link_code_companion_reg', {}, [stanza('link_code_pairing_ref', {}, ref)]);
  connection.reply(query, [response]);
  chronicle.actions.add({ type: 'code_requested', account: phoneNumber });
}

/** Derives the secret of the pairing, as the client does; pairing then continues as with a QR. */
function finish(connection: Connection, node: Stanza): void {
  const known = entered.get(connection);
  if (known === undefined) throw new Error('the client ends a pairing by code before the code was entered');
  const { account, ephemeral, clientEphemeral } = known;
  const identity = bytesOf(node, 'companion_identity_public');
  const bundle = bytesOf(node, 'link_code_pairing_wrapped_key_bundle');
  const shared = Curve.sharedKey(ephemeral.private, clientEphemeral);
  const key = hkdf(shared, 32, {
    salt: bundle.subarray(0, 32),
    info: 'link_code_pairing_key_bundle_encryption_key',
  });
  const plain = aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(32, 44), Buffer.alloc(0));
  const identityShared = Curve.sharedKey(account.device.creds.signedIdentityKey.private, identity);
  const secret = Buffer.concat([shared, identityShared, plain.subarray(64, 96)]);
  beginPairing(connection, account, {
    identity,
    advSecret: Buffer.from(hkdf(secret, 32, { info: 'adv_secret' })),
  });
}
