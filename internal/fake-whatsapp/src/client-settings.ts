import tls from 'node:tls';
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from '@whiskeysockets/baileys';

/** How a client finds and trusts one fake server. Plain data, because a child process takes it from its environment. */
export interface ClientSettings {
  /** The `makeWASocket` option of the same name. */
  readonly waWebSocketUrl: string;
  /** The public key of the authority behind the server's Noise certificate, base64. */
  readonly noiseRoot: string;
  /** The authority behind the media host's TLS certificate, PEM. */
  readonly mediaAuthority: string;
}

const trusted: ClientSettings[] = [];
const noiseRoot = WA_CERT_DETAILS.PUBLIC_KEY;

/**
 * Makes the clients of this process accept the server. Returns a function that undoes this; such functions may be
 * called in any order.
 */
export function trustFakeWhatsApp(settings: ClientSettings): () => void {
  trusted.push(settings);
  applyTrust();
  return () => {
    trusted.splice(trusted.indexOf(settings), 1);
    applyTrust();
  };
}

function applyTrust(): void {
  const latest = trusted.at(-1);
  WA_CERT_DETAILS.PUBLIC_KEY = latest === undefined ? noiseRoot : Buffer.from(latest.noiseRoot, 'base64');
  const authorities = trusted.map(({ mediaAuthority }) => mediaAuthority);
  tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), ...authorities]);
  globalThis.fetch = latest === undefined ? machineFetch : fetchWithVersionOf(latest);
}

const machineFetch = globalThis.fetch;
/** The file in which web.whatsapp.com names the current version of its client. */
const VERSION_FILE = 'https://web.whatsapp.com/sw.js';

/** Looks the current version up at the server, unless the client asks for it through a proxy. */
function fetchWithVersionOf({ waWebSocketUrl }: ClientSettings): typeof fetch {
  const local = new URL('/sw.js', waWebSocketUrl.replace(/^ws/, 'http'));
  return (address, init) => {
    const isDirect = init === undefined || !('dispatcher' in init);
    return machineFetch(address === VERSION_FILE && isDirect ? local : address, init);
  };
}

/**
 * Like `trustFakeWhatsApp`, and connects clients without a URL to the server: for a program that knows nothing of the
 * fake.
 */
export function redirectToFakeWhatsApp(settings: ClientSettings): () => void {
  const url = DEFAULT_CONNECTION_CONFIG.waWebSocketUrl;
  const distrust = trustFakeWhatsApp(settings);
  DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = settings.waWebSocketUrl;
  return () => {
    DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = url;
    distrust();
  };
}
