import type { UrlRules } from '../../domain/endpoint/host-rules.ts';
import type { DnsResolver } from '../../ports/dns-resolver.ts';
import type { Connector } from '../webhook-sender/connector.ts';
import type { ResponseHead } from '../webhook-sender/http-connection.ts';
import { SendFailure } from '../webhook-sender/send-failure.ts';
import { findTarget } from '../webhook-sender/target.ts';

export interface PageRequest {
  readonly url: string;
  readonly rules: UrlRules;
  /** The beginnings of the media types that are wanted. */
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** Whether the bytes that have arrived are enough. By default, all are wanted. */
  readonly isEnough?: (latest: Buffer) => boolean;
}

/** The beginning of a page, at most `maxBytes`. */
export interface FetchedPage {
  /** The URL of the last page, if there were redirects. */
  readonly url: string;
  readonly type: string;
  readonly body: Buffer;
  /** Whether the body was longer than `maxBytes`. */
  readonly isCut: boolean;
}

const MOST_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Many sites have facts for previews only for programs that they know. */
const USER_AGENT = 'Mozilla/5.0 (compatible; Trunkline; link preview; like Twitterbot)';

/**
 * Fetches a page. Each redirect is checked as the first URL is, and each connection goes to an address that was checked.
 * Bodies are never decompressed: a compressed one is not taken. Rejects with a SendFailure or with the signal's reason.
 */
export async function fetchPage(
  request: PageRequest,
  { dns, connector }: { readonly dns: DnsResolver; readonly connector: Connector },
  signal: AbortSignal,
): Promise<FetchedPage> {
  let { url } = request;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const target = await findTarget({ url, ...request.rules }, dns, signal);
    const connection = await connector.connect(target, signal);
    try {
      const reader = bodyReader(request);
      const headers = ['Accept', request.types.join(', '), 'User-Agent', USER_AGENT];
      const status = await connection.get(target.url.path, { headers, ...reader }, signal);
      // The connection may have ended before the body had.
      signal.throwIfAborted();
      if (!REDIRECTS.has(status)) return { url, ...reader.result(status) };
      url = redirected(url, reader.location());
    } finally {
      connection.destroy();
    }
  }
  throw new SendFailure('REDIRECT', `There were more than ${MOST_REDIRECTS} redirects.`);
}

function redirected(from: string, location: string | null): string {
  const to = location === null ? null : URL.parse(location, from);
  if (to === null) throw new SendFailure('REDIRECT', 'The redirect leads nowhere.');
  to.hash = '';
  return to.href;
}

function bodyReader({ types, maxBytes, isEnough = () => false }: PageRequest): {
  head(head: ResponseHead): boolean;
  data(chunk: Buffer): boolean;
  location(): string | null;
  result(status: number): Omit<FetchedPage, 'url'>;
} {
  const chunks: Buffer[] = [];
  let size = 0;
  let type = '';
  let location: string | null = null;
  let isWanted = false;
  return {
    head({ status, headers }) {
      const one = (name: string): string => [headers[name] ?? ''].flat()[0] ?? '';
      type = one('content-type').toLowerCase();
      location = one('location') || null;
      const isPlain = ['', 'identity'].includes(one('content-encoding').trim().toLowerCase());
      isWanted = status === 200 && isPlain && types.some((wanted) => type.startsWith(wanted));
      return isWanted;
    },
    data(chunk) {
      // Copied, because the chunk is a view of the socket's buffer, which is much larger.
      const latest = Buffer.from(chunk.subarray(0, maxBytes - size));
      chunks.push(latest);
      size += chunk.length;
      return size <= maxBytes && !isEnough(latest);
    },
    location: () => location,
    result(status) {
      if (!isWanted) throw new SendFailure('HTTP_ERROR', `The page cannot be shown (status ${status}).`);
      return { type, body: Buffer.concat(chunks), isCut: size > maxBytes };
    },
  };
}
