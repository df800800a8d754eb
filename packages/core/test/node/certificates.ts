import { generate, type GenerateResult } from 'selfsigned';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface LeafOptions {
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  readonly expired?: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A certificate authority for the tests, which is not trusted by default. */
export class Authority {
  readonly #ca: Certificate;

  private constructor(ca: Certificate) {
    this.#ca = ca;
  }

  static async create(name = 'Trunkline test authority'): Promise<Authority> {
    const made = await generate([{ name: 'commonName', value: name }], {
      ...validity(30),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    return new Authority(certificateOf(made));
  }

  get cert(): string {
    return this.#ca.cert;
  }

  async issue({ names = [], addresses = [], expired = false }: LeafOptions): Promise<Certificate> {
    const made = await generate([{ name: 'commonName', value: 'leaf' }], {
      ...validity(expired ? -1 : 30),
      ca: this.#ca,
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true },
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: [
            ...names.map((value) => ({ type: 2 as const, value })),
            ...addresses.map((ip) => ({ type: 7 as const, ip })),
          ],
        },
      ],
    });
    return certificateOf(made);
  }
}

function validity(daysLeft: number) {
  const now = Date.now();
  return {
    keyType: 'ec' as const,
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 60 * DAY_MS),
    notAfterDate: new Date(now + daysLeft * DAY_MS),
  };
}

function certificateOf(made: GenerateResult): Certificate {
  return { key: made.private, cert: made.cert };
}
