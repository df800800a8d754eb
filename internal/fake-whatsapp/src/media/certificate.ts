import { randomUUID } from 'node:crypto';
import { generate } from 'selfsigned';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
  /** The authority that clients must trust, PEM. */
  readonly authority: string;
}

/** Creates a certificate for this machine from an authority that is not trusted by default. */
export async function createServerCertificate(now: number): Promise<ServerCertificate> {
  const basics = {
    keyType: 'ec' as const,
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + 30 * DAY_MS),
  };
  // OpenSSL looks authorities up by name, so the authorities that one process trusts need different names.
  const authority = await generate([{ name: 'commonName', value: `Fake WhatsApp ${randomUUID()}` }], {
    ...basics,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    ...basics,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          // The name that a client checks for an address in a tunnel.
          { type: 2, value: 'localhost' },
        ],
      },
    ],
  });
  return { key: leaf.private, cert: leaf.cert, authority: authority.cert };
}
