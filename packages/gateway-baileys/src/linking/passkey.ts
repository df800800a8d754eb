import { randomBytes } from 'node:crypto';
import { S_WHATSAPP_NET, getBinaryNodeChildBuffer } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type {
  Clock,
  GatewayListener,
  PasskeyAnswer,
  PasskeyCredential,
  PasskeyStep,
} from '@trunkline/core/spi/gateway';
import { isPaired } from '../session/credentials.ts';
import { acknowledge } from '../socket/acknowledge.ts';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';
import type { Pauses } from '../socket/socket-life.ts';
import { queryErrorOf } from '../socket/status-code.ts';
import {
  beginCeremony,
  companionNonce,
  continueCeremony,
  handoffKey,
  pairingRequest,
  prologue,
  readOptions,
} from './passkey-stanzas.ts';
import type { PasskeyCeremony, PasskeyOptions } from './passkey-stanzas.ts';

/** A page on which browsers allow WhatsApp's request. The network may check the origin. */
const PAGE = 'https://web.whatsapp.com/';
/** How long the phone may take once the network has accepted the passkey, and a person to compare a code. */
const PHONE_MS = 180_000;
/** How long after the scan the handoff can be proved (whatsmeow's `passkeyHandoffKey.Valid`); later, a code is needed. */
const HANDOFF_MS = 300_000;

/** The account confirms a new device only with its passkey, and no passkey was given. */
export class PasskeyRequired extends Error {
  override readonly name = 'PasskeyRequired';

  constructor() {
    super('WhatsApp links a device to this account only with its passkey.');
  }
}

/** The network has accepted the passkey, but the phone did not finish the linking. */
export class PasskeyUnfinished extends Error {
  override readonly name = 'PasskeyUnfinished';

  constructor(cause?: unknown) {
    super('The phone did not finish the linking with a passkey.', { cause });
  }
}

export interface PasskeyLinking {
  /** Passes a person's answer to the network. Rejects in words for the person. */
  answer(answer: PasskeyAnswer): Promise<void>;
}

interface LinkingOptions {
  readonly socket: WASocket;
  readonly listener: Pick<GatewayListener, 'passkey'>;
  readonly clock: Clock;
  readonly pauses: Pauses;
  /** Called when the network asks for the passkey: the QR and the code have been taken. */
  readonly begun: () => void;
  readonly failed: (error: unknown) => void;
}

interface Handoff {
  readonly key: Uint8Array;
  readonly since: number;
}

/**
 * Links a device to an account that requires its passkey: reports what a person has to do, and passes the answers to the
 * network. Baileys ignores the network's request, so the phone would wait until the last QR has expired.
 */
export function linkWithPasskey(options: LinkingOptions): PasskeyLinking {
  const { socket, listener, clock, pauses, begun, failed } = options;
  const { creds } = socket.authState;
  let step: PasskeyStep | null = null;
  let isAnswered = false;
  let ceremony: PasskeyCeremony | null = null;
  let handoff: Handoff | null = null;
  let isProved = false;
  let reports: Promise<void> = Promise.resolve();

  /** Reports a step after all earlier ones, and ends the connection if the step takes longer than `ms`. */
  const next = (shown: PasskeyStep, ms: number): Promise<void> => {
    step = shown;
    const expiresAt = clock.now() + ms;
    reports = reports.then(() => listener.passkey?.(shown, expiresAt));
    void pauses.pause(ms).then(() => {
      if (step !== shown || isPaired(creds) || pauses.isOver()) return;
      failed(shown.kind === 'assertion' ? new PasskeyRequired() : new PasskeyUnfinished());
    });
    return reports;
  };

  const query = async (type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> => {
    const attrs = { to: S_WHATSAPP_NET, type, xmlns: 'md', id: socket.generateMessageTag() };
    const response: unknown = await socket.query({ tag: 'iq', attrs, content: [content] });
    if (!response) throw new Error('WhatsApp did not respond in time.');
    return response as BinaryNode; // resolves with the response
  };

  const ask = (request: PasskeyOptions): Promise<void> => {
    isAnswered = false;
    return next({ kind: 'assertion', options: request, page: PAGE }, request.timeout);
  };

  const freshOptions = async (): Promise<PasskeyOptions> => {
    const read = readOptions(await query('get', { tag: 'passkey_request_options', attrs: {} }));
    if (!read) throw new PasskeyRequired();
    return read;
  };

  /** The phone gets a new secret with the pairing request. */
  const requested = async (stanza: BinaryNode): Promise<void> => {
    if (!listener.passkey) throw new PasskeyRequired();
    // Only the secret that the phone knows, which is that of the QR or of the typed code, proves the handoff.
    if (step === null) handoff = { key: handoffKey(creds), since: clock.elapsed() };
    creds.advSecretKey = randomBytes(32).toString('base64');
    ceremony = null;
    begun();
    await ask(readOptions(stanza) ?? (await freshOptions()));
  };

  const give = async (credential: PasskeyCredential): Promise<void> => {
    const ref = getBinaryNodeChildBuffer(await query('get', { tag: 'ref', attrs: {} }), 'ref');
    if (!ref) throw new Error('WhatsApp sent no reference for the linking.');
    const isFresh = handoff !== null && clock.elapsed() < handoff.since + HANDOFF_MS;
    isProved = isFresh;
    // Set before the query, because the phone's key may arrive before the response.
    ceremony = beginCeremony(Buffer.from(ref).toString());
    await query('set', prologue(ceremony, credential, isFresh && handoff ? handoff.key : null));
    handoff = null;
    // The phone may have sent its key by now.
    await (step?.kind === 'assertion' ? next({ kind: 'phone' }, PHONE_MS) : reports);
  };

  const answerAssertion = async (credential: PasskeyCredential): Promise<void> => {
    if (isAnswered) throw new Error('The passkey is being checked already.');
    isAnswered = true;
    try {
      await give(credential);
    } catch (error) {
      isAnswered = false;
      const code = queryErrorOf(error);
      if (code === null) throw error;
      ceremony = null;
      // The network may take each challenge only once.
      const fresh = await freshOptions().catch(() => null);
      if (fresh) await ask(fresh);
      throw new Error(`WhatsApp refused the passkey (${code}): run the current script, and try again.`, {
        cause: error,
      });
    }
  };

  const continued = async (stanza: BinaryNode): Promise<void> => {
    if (!ceremony || ceremony.key) return;
    const { ceremony: keyed, code } = continueCeremony(ceremony, stanza);
    ceremony = keyed;
    await query('set', companionNonce(keyed));
    if (isProved) await confirm();
    else await next({ kind: 'confirmation', code }, PHONE_MS);
  };

  const confirm = async (): Promise<void> => {
    const key = ceremony?.key;
    if (!key) throw new Error('WhatsApp does not wait for a code to be confirmed.');
    await next({ kind: 'phone' }, PHONE_MS);
    await query('set', pairingRequest(key, creds));
    ceremony = null;
  };

  interceptStanzas(socket, 'notification', (stanza) => {
    const { type } = stanza.attrs;
    const isRequest = type === 'passkey_prologue_request';
    if ((!isRequest && type !== 'crsc_continuation') || isPaired(creds)) return false;
    void acknowledge(socket, stanza.attrs)
      .then(() => (isRequest ? requested(stanza) : continued(stanza)))
      .catch((error: unknown) => failed(isRequest ? error : new PasskeyUnfinished(error)));
    return true;
  });

  return {
    async answer(answer) {
      if (step?.kind !== answer.kind) throw new Error('WhatsApp does not wait for this step of the passkey.');
      if (answer.kind === 'assertion') return answerAssertion(answer.credential);
      try {
        await confirm();
      } catch (error) {
        failed(new PasskeyUnfinished(error));
        throw error;
      }
    },
  };
}
