import type { UrlRules } from '../../domain/endpoint/host-rules.ts';
import type { DnsResolver } from '../../ports/dns-resolver.ts';
import type { LinkPreviewer } from '../../ports/link-previewer.ts';
import { createConnector, type TlsOptions } from '../webhook-sender/connector.ts';
import { fetchPage } from './fetch-page.ts';
import type { FetchedPage, PageRequest } from './fetch-page.ts';
import { readPageFacts } from './page-facts.ts';

/** The options of `nodeLinkPreviewer`. */
export interface NodeLinkPreviewerOptions {
  /** Resolves the hosts of links. */
  readonly dns: DnsResolver;
  /** Authorities to trust on https, in addition to the public ones. */
  readonly tls?: TlsOptions | undefined;
}

/** The most bytes of a page that are read, and of an image. */
const PAGE_BYTES = 1024 * 1024;
const IMAGE_BYTES = 600 * 1024;
const CONNECT_MS = 2_000;
const JPEG = [0xff, 0xd8, 0xff];
const PNG = [0x89, 0x50, 0x4e, 0x47];

/**
 * Reads the title, the description and the image of pages. Every request follows the rules of webhook URLs: https on
 * usual ports, a public address, no second lookup between the check and the connection, and the same for each of at most
 * three redirects. Reads at most 1 MB of a page and 600 KB of its image, and decompresses nothing.
 */
export function nodeLinkPreviewer({ dns, tls }: NodeLinkPreviewerOptions): LinkPreviewer {
  const parts = { dns, connector: createConnector({ connectMs: CONNECT_MS, tls }) };
  const fetched = (request: PageRequest, signal: AbortSignal): Promise<FetchedPage> =>
    fetchPage(request, parts, signal);

  const fetchImage = async (
    url: string,
    rules: UrlRules,
    signal: AbortSignal,
  ): Promise<Uint8Array | null> => {
    const types = ['image/jpeg', 'image/png', 'image/jpg'];
    const { body, isCut } = await fetched({ url, rules, types, maxBytes: IMAGE_BYTES }, signal);
    const isImage = [JPEG, PNG].some((beginning) => beginning.every((byte, index) => body[index] === byte));
    return isImage && !isCut ? body : null;
  };

  return {
    async preview({ url, ...rules }, signal) {
      const [address = ''] = url.split('#');
      const page = await fetched(
        {
          url: address,
          rules,
          types: ['text/html', 'application/xhtml+xml'],
          maxBytes: PAGE_BYTES,
          isEnough: (latest) => latest.includes('</head'),
        },
        signal,
      );
      const { title, description, image } = readPageFacts(textOf(page));
      if (title === null) return null;
      const picture = image === null ? null : URL.parse(image, page.url);
      // A preview without its image is better than none.
      const bytes = picture && (await fetchImage(withoutHash(picture), rules, signal).catch(() => null));
      return { title, description, image: bytes };
    },
  };
}

function withoutHash(url: URL): string {
  url.hash = '';
  return url.href;
}

/** Decodes a page by the charset of its header or of its first bytes; by default, as UTF-8. */
function textOf({ type, body }: FetchedPage): string {
  const beginning = body.toString('latin1', 0, 1_024);
  const charset = /charset\s*=\s*["']?([\w-]{1,40})/i;
  const [, label = 'utf-8'] = charset.exec(type) ?? charset.exec(beginning) ?? [];
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return body.toString('utf8');
  }
}
