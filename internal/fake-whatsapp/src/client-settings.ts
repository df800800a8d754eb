import tls from 'node:tls';
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from '@whiskeysockets/baileys';

/** How a client finds and trusts one fake server. Plain data: a child process takes it from its environment. */
export interface ClientSettings {
  /** The option of the same name of `makeWASocket`. */
  readonly waWebSocketUrl: string;
  /** The public key of the authority behind the server's Noise certificate, base64. */
  readonly noiseRoot: string;
  /** The authority behind the media host's TLS certificate, PEM. */
  readonly mediaAuthority: string;
}

/** Makes the clients of this process accept the server. Returns a function that undoes it. */
export function trustFakeWhatsApp(settings: ClientSettings): () => void {
  const noiseRoot = WA_CERT_DETAILS.PUBLIC_KEY;
  const authorities = tls.getCACertificates('default');
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(settings.noiseRoot, 'base64');
  tls.setDefaultCACertificates([...authorities, settings.mediaAuthority]);
  return () => {
    WA_CERT_DETAILS.PUBLIC_KEY = noiseRoot;
    tls.setDefaultCACertificates(authorities);
  };
}

/** The same, and those that are given no URL connect to it: for a program that knows nothing of the fake. */
export function redirectToFakeWhatsApp(settings: ClientSettings): () => void {
  const url = DEFAULT_CONNECTION_CONFIG.waWebSocketUrl;
  const distrust = trustFakeWhatsApp(settings);
  DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = settings.waWebSocketUrl;
  return () => {
    DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = url;
    distrust();
  };
}
