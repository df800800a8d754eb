/** A program as tutorials show it: a route that sends by Baileys and responds when WhatsApp has the message. */
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { trustFakeWhatsApp } from '@trunkline/fake-whatsapp';
import {
  DisconnectReason,
  fetchLatestWaWebVersion,
  makeWASocket,
  proto,
  useMultiFileAuthState,
} from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import { Hono } from 'hono';
import { serveParent } from '../child.ts';
import { useOf } from './plan.ts';
import type { FeelFacts, FeelPlan } from './plan.ts';

const plan = JSON.parse(process.argv[2] ?? '') as FeelPlan; // feel.ts made it
trustFakeWhatsApp(plan.network);
console.info = () => {}; // libsignal would write whole sessions
const { state, saveCreds } = await useMultiFileAuthState(join(plan.directory, 'auth'));
const { version } = await fetchLatestWaWebVersion();
const silent = { level: 'silent', trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const logger = { ...silent, child: () => logger };
const firstQr = Promise.withResolvers<string>();
let isConnected = false;
let socket: WASocket;

function connect(): void {
  socket = makeWASocket({
    auth: state,
    logger,
    version,
    waWebSocketUrl: plan.network.waWebSocketUrl,
    // The rest of a history is a file, which Baileys would look for on WhatsApp's own hosts.
    shouldSyncHistoryMessage: ({ syncType }) =>
      syncType === proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
  });
  socket.ev.on('creds.update', () => void saveCreds());
  socket.ev.on('connection.update', ({ connection, lastDisconnect, qr }) => {
    if (qr !== undefined) firstQr.resolve(qr);
    if (connection !== undefined) isConnected = connection === 'open';
    const { output } = (lastDisconnect?.error ?? {}) as { output?: { statusCode?: number } }; // as Baileys documents
    if (connection === 'close' && output?.statusCode !== DisconnectReason.loggedOut) connect();
  });
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { key, message } of messages) {
      const text = message?.conversation ?? message?.extendedTextMessage?.text;
      if (key.fromMe !== true && typeof text === 'string') void post({ from: key.remoteJid, text });
    }
  });
}

async function post(received: { readonly from: unknown; readonly text: string }): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  await fetch(plan.webhookUrl, { method: 'POST', headers, body: JSON.stringify(received) });
}

const app = new Hono();
app.post('/send', async (context) => {
  const { to, text } = await context.req.json<{ readonly to: string; readonly text: string }>();
  const sent = await socket.sendMessage(`${to}@s.whatsapp.net`, { text });
  return context.json({ id: sent?.key.id });
});

connect();
const qr = state.creds.me === undefined ? await firstQr.promise : '';
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const sendUrl = `http://127.0.0.1:${port}/send`;
  const facts: FeelFacts = { qr, sendUrl, headers: {}, fields: {} };
  serveParent(
    facts,
    () => useOf(isConnected),
    () => void server.close(),
  );
});
