import {
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  KEY_BUNDLE_TYPE,
  addTransactionCapability,
  encodeBigEndian,
  initAuthCreds,
  proto,
  unpadRandomMax16,
  xmppPreKey,
  xmppSignedPreKey,
} from '@whiskeysockets/baileys';
import type {
  AuthenticationCreds,
  SignalDataSet,
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import { stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { memoryKeys } from './memory-keys.ts';
import { plaintextOf } from './plaintext.ts';
import { silent } from './silent.ts';

export type KeyBundle = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session'];
export type Ciphertext = Awaited<ReturnType<SignalRepositoryWithLIDStore['encryptMessage']>>;

interface SessionRecord {
  readonly _sessions?: Readonly<Record<string, { readonly indexInfo: { readonly used?: number } }>>;
}

/** One end of Signal sessions, on a person's device. Clients under test use their own implementation. */
export class SignalPeer {
  readonly creds: AuthenticationCreds = initAuthCreds();
  readonly #keys: SignalKeyStoreWithTransaction;
  readonly #repository: SignalRepositoryWithLIDStore;
  /** Sessions by device; each promise resolves once the session can be used. */
  readonly #sessions = new Map<string, Promise<void>>();
  #nextPreKey = 1;

  constructor() {
    this.#keys = addTransactionCapability(memoryKeys(), silent, {
      maxCommitRetries: 1,
      delayBetweenTriesMs: 0,
    });
    const auth = { creds: this.creds, keys: this.#keys };
    this.#repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, silent, () =>
      Promise.resolve([]),
    );
  }

  /** A fresh key bundle, as the children of `<user>` in the response to a query for keys. */
  async bundle(): Promise<Stanza[]> {
    const id = this.#nextPreKey++;
    const preKey = Curve.generateKeyPair();
    await this.#keys.set({ 'pre-key': { [id]: preKey } });
    return [
      stanza('registration', {}, encodeBigEndian(this.creds.registrationId)),
      stanza('type', {}, KEY_BUNDLE_TYPE),
      stanza('identity', {}, this.creds.signedIdentityKey.public),
      xmppSignedPreKey(this.creds.signedPreKey),
      xmppPreKey(preKey, id),
    ];
  }

  /** Encrypts for one device; calls `takeBundle` if there is no session yet. */
  async encrypt(jid: string, message: proto.IMessage, takeBundle: () => KeyBundle): Promise<Ciphertext> {
    await (this.#sessions.get(jid) ?? this.startSession(jid, takeBundle()));
    return this.#repository.encryptMessage({ jid, data: plaintextOf(message) });
  }

  startSession(jid: string, bundle: KeyBundle): Promise<void> {
    const started = this.#repository.injectE2ESession({ jid, session: bundle });
    this.#sessions.set(jid, started);
    return started;
  }

  async decrypt(jid: string, type: Ciphertext['type'], ciphertext: Uint8Array): Promise<proto.Message> {
    const plaintext = await (type === 'msg'
      ? this.#decryptWithOne(jid, ciphertext)
      : this.#repository.decryptMessage({ jid, type, ciphertext }));
    this.#sessions.set(jid, Promise.resolve());
    return proto.Message.decode(unpadRandomMax16(plaintext));
  }

  /**
   * Tries one session after another, as phones do. libsignal for Node would leave those that do not fit changed, so that
   * nothing could be read with them any more.
   */
  #decryptWithOne(jid: string, ciphertext: Uint8Array): Promise<Uint8Array> {
    const address = this.#repository.jidToSignalProtocolAddress(jid);
    const read = async (): Promise<SessionRecord> =>
      ((await this.#keys.get('session', [address]))[address] ?? {}) as SessionRecord; // as libsignal serializes it
    const keep = (record: SessionRecord): unknown =>
      this.#keys.set({ session: { [address]: record } } as unknown as SignalDataSet);
    return this.#keys.transaction(async () => {
      const record = await read();
      const sessions = Object.entries(record._sessions ?? {});
      sessions.sort(([, one], [, other]) => (other.indexInfo.used ?? 0) - (one.indexInfo.used ?? 0));
      let failure: unknown = new Error(`There is no session with ${jid}.`);
      for (const [name, session] of sessions) {
        await keep({ ...record, _sessions: { [name]: session } });
        try {
          const plaintext = await this.#repository.decryptMessage({ jid, type: 'msg', ciphertext });
          const { _sessions: changed } = await read();
          await keep({ ...record, _sessions: { ...record._sessions, ...changed } });
          return plaintext;
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    }, jid);
  }

  async encryptForGroup(group: string, author: string, message: proto.IMessage) {
    const data = plaintextOf(message);
    return this.#repository.encryptGroupMessage({ group, meId: author, data });
  }

  /** The key that makes this side's group messages readable. */
  senderKeyFor(group: string, author: string): Promise<Uint8Array> {
    return this.#repository.getSenderKeyDistributionMessage({ group, meId: author });
  }

  async decryptForGroup(group: string, authorJid: string, ciphertext: Uint8Array): Promise<proto.Message> {
    const plaintext = await this.#repository.decryptGroupMessage({ group, authorJid, msg: ciphertext });
    return proto.Message.decode(unpadRandomMax16(plaintext));
  }

  async learnSenderKey(authorJid: string, item: proto.Message.ISenderKeyDistributionMessage): Promise<void> {
    await this.#repository.processSenderKeyDistributionMessage({ item, authorJid });
  }
}
