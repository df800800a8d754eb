import { Curve, initAuthCreds, makeWASocket, proto } from '@whiskeysockets/baileys';
import type {
  AuthenticationState,
  BaileysEventMap,
  UserFacingSocketConfig,
  WAMessage,
} from '@whiskeysockets/baileys';
import { vi } from 'vitest';
import type { Account, FakeWhatsApp } from '../../src/index.ts';
import { AwaitableLog } from '../../src/chronicle/awaitable-log.ts';
import { isSignatureValid } from '../../src/signal/signature.ts';
import { memoryKeys } from '../../src/signal/memory-keys.ts';
import { silent } from '../../src/signal/silent.ts';

// Silence libsignal, which writes whole sessions, keys included, to the console.
for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {});

// Baileys accepts every well-formed signature, so these tests make it verify signatures.
Curve.verify = isSignatureValid;

type Options = Partial<UserFacingSocketConfig>;
type EventName = keyof BaileysEventMap;
interface Happened {
  readonly name: EventName;
  readonly data: unknown;
}

type FakeServer = Pick<FakeWhatsApp, 'client' | 'currentVersion'>;

/** The rest of a history is a file, which Baileys would look for on WhatsApp's own hosts. */
function isFirstPart({ syncType }: proto.Message.IHistorySyncNotification): boolean {
  return syncType === proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP;
}

function isSecondPart({ message }: WAMessage): boolean {
  const syncType = message?.protocolMessage?.historySyncNotification?.syncType;
  return syncType === proto.HistorySync.HistorySyncType.RECENT;
}

/** A plain Baileys socket with its credentials in memory. */
export class Client {
  readonly socket: ReturnType<typeof makeWASocket>;
  readonly auth: AuthenticationState;
  readonly #happened = new AwaitableLog<Happened>();

  constructor(wa: FakeServer, auth: AuthenticationState, options: Options = {}) {
    this.auth = auth;
    this.socket = makeWASocket({
      auth,
      waWebSocketUrl: wa.client.waWebSocketUrl,
      logger: silent,
      version: wa.currentVersion(),
      emitOwnEvents: false,
      markOnlineOnConnect: false,
      shouldSyncHistoryMessage: isFirstPart,
      ...options,
    });
    this.socket.ev.process((events) => {
      for (const [name, data] of Object.entries(events)) {
        // The keys of the map are the names of its events.
        this.#happened.add({ name: name as EventName, data });
      }
    });
  }

  static unpaired(wa: FakeServer, options?: Options): Client {
    return new Client(wa, { creds: initAuthCreds(), keys: memoryKeys() }, options);
  }

  /** Pairs by QR, restarts when the server asks, and waits until the connection is open and has its history. */
  static async linked(wa: FakeWhatsApp, account: Account, options?: Options): Promise<Client> {
    const client = Client.unpaired(wa, options);
    wa.scanQr(account, await client.qr());
    await client.closed();
    const restarted = new Client(wa, client.auth, options);
    await restarted.opened();
    await restarted.first('messaging-history.set');
    await restarted.first('messages.upsert', ({ messages }) => messages.some(isSecondPart));
    return restarted;
  }

  /** The first event of this name for which `holds` is true, past or future. */
  async first<T extends EventName>(
    name: T,
    holds: (data: BaileysEventMap[T]) => boolean = () => true,
  ): Promise<BaileysEventMap[T]> {
    // Data logged under a name has the type of that name.
    const dataOf = (happened: Happened) => happened.data as BaileysEventMap[T];
    const isIt = (happened: Happened) => happened.name === name && holds(dataOf(happened));
    return dataOf(await this.#happened.first(name, isIt));
  }

  all<T extends EventName>(name: T): readonly BaileysEventMap[T][] {
    const found = this.#happened.entries.filter((happened) => happened.name === name);
    return found.map(({ data }) => data as BaileysEventMap[T]);
  }

  async qr(): Promise<string> {
    const { qr = '' } = await this.first('connection.update', (update) => update.qr !== undefined);
    return qr;
  }

  async opened(): Promise<void> {
    await this.first('connection.update', ({ connection }) => connection === 'open');
  }

  /** Why the connection closed: the code and the message that Baileys gives it. */
  async closed(): Promise<{ readonly code: number | undefined; readonly message: string }> {
    const { lastDisconnect } = await this.first(
      'connection.update',
      ({ connection }) => connection === 'close',
    );
    const error = lastDisconnect?.error;
    const code = error !== undefined && 'output' in error ? error.output.statusCode : undefined;
    return { code, message: error?.message ?? '' };
  }

  /** The message with this network id, once it can be read. */
  async message(id: string) {
    const isIt = ({ key, message, messageStubType }: WAMessage) =>
      key.id === id && message !== null && message !== undefined && !messageStubType;
    const upsert = await this.first('messages.upsert', ({ messages }) => messages.some(isIt));
    const message = upsert.messages.find(isIt);
    if (message === undefined) throw new Error(`no message ${id}`);
    return { ...message, upsertType: upsert.type };
  }

  async end(): Promise<void> {
    await this.socket.end(undefined);
  }
}
