// A client in a separate process, which the test kills. Reports its events to the parent process.
import {
  Curve,
  fetchLatestWaWebVersion,
  makeWASocket,
  proto,
  useMultiFileAuthState,
} from '@whiskeysockets/baileys';
import { trustFakeWhatsApp } from '../../../src/client-settings.ts';
import type { ClientSettings } from '../../../src/client-settings.ts';
import { isSignatureValid } from '../../../src/signal/signature.ts';
import { silent } from '../../../src/signal/silent.ts';

export interface Send {
  readonly to: string;
  readonly id: string;
  readonly text: string;
}

export type Report =
  | { readonly qr: string }
  /** Logged in for the first time, with the history received and the credentials on disk. */
  | { readonly settled: true }
  | { readonly open: true }
  | { readonly read: string };

const nothing = () => {};
Object.assign(console, { info: nothing, warn: nothing, error: nothing });
Curve.verify = isSignatureValid;

// The parent sets both values.
const settings = JSON.parse(process.env['FAKE_WHATSAPP'] ?? '') as ClientSettings;
const { state, saveCreds } = await useMultiFileAuthState(process.argv[2] ?? '');
trustFakeWhatsApp(settings);
const { version } = await fetchLatestWaWebVersion();
connect();

function connect(): void {
  const socket = makeWASocket({
    auth: state,
    waWebSocketUrl: settings.waWebSocketUrl,
    logger: silent,
    version,
    // The rest of a history is a file, which Baileys would look for on WhatsApp's own hosts.
    shouldSyncHistoryMessage: ({ syncType }) =>
      syncType === proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
  });
  let saved: Promise<void> = Promise.resolve();
  socket.ev.on('creds.update', () => {
    saved = saved.then(saveCreds).then(() => {
      if (state.creds.processedHistoryMessages.length > 0) notify({ settled: true });
    });
  });
  socket.ev.on('connection.update', ({ qr, connection }) => {
    if (qr !== undefined) notify({ qr });
    if (connection === 'open') notify({ open: true });
    if (connection === 'close') void saved.then(connect);
  });
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { key, message } of messages) if (message && !key.fromMe) notify({ read: key.id ?? '' });
  });
  process.removeAllListeners('message');
  process.on('message', (message) => {
    const { to, id, text } = message as Send; // the parent sends nothing else
    void socket.sendMessage(to, { text }, { messageId: id });
  });
}

function notify(reported: Report): void {
  process.send?.(reported);
}
