import { generate } from 'selfsigned';

export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** For every host below a domain, from the bench's own certificate authority. */
export async function issueFor(domain: string): Promise<Certificates> {
  const kind = { keyType: 'ec', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'Authority of the bench' }], {
    ...kind,
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const leaf = await generate([{ name: 'commonName', value: domain }], {
    ...kind,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: `*.${domain}` }] }],
  });
  return { ca: authority.cert, cert: leaf.cert, key: leaf.private };
}
