import { sharedBytes } from '@trunkline/http/spi';
import { DOCUMENT, PAGES } from './assets.ts';
import type { Asset, Assets } from './assets.ts';
import { preloadsOf } from './preloads.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';
const UTF8 = new TextDecoder();

/**
 * Responds with the file at `below`, a path below `basePath`, or else with the document; null for a missing file below
 * `assets/`. The path is not decoded, so that an encoded path leads nowhere else.
 */
export async function pageResponse(
  request: Request,
  { basePath, below, assets }: { readonly basePath: string; readonly below: string; readonly assets: Assets },
): Promise<Response | null> {
  const name = below.replace(/^\//, '');
  const asset = name === '' || name === DOCUMENT || name === PAGES ? null : await assets(name);
  if (asset) return assetResponse(request, name, asset);
  // A newer version may lack this script, and the document would not work as a script.
  if (name.startsWith('assets/')) return null;
  const pages = await assets(PAGES);
  const preloads = pages ? preloadsOf(request, { below, pages: UTF8.decode(pages.bytes) }) : '';
  return documentResponse(await assets(DOCUMENT), { basePath, below, preloads });
}

function assetResponse(request: Request, name: string, { type, bytes, gzip }: Asset): Response {
  const isCompressed = gzip !== null && acceptsGzip(request.headers.get('Accept-Encoding'));
  const body = isCompressed ? gzip : bytes;
  return new Response(sharedBytes(body), {
    headers: {
      'Content-Type': type,
      'Content-Length': String(body.byteLength),
      'Cache-Control': name.startsWith('assets/') ? FOR_EVER : 'no-cache',
      Vary: 'Accept-Encoding',
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    },
  });
}

function documentResponse(
  document: Asset | null,
  {
    basePath,
    below,
    preloads,
  }: { readonly basePath: string; readonly below: string; readonly preloads: string },
): Response {
  if (document === null)
    throw new Error('The dashboard has been built without its document: build it again.');
  const page = UTF8.decode(document.bytes)
    .replace(/<base href="[^"]*"/, `<base href="${wayToRoot(basePath, below)}"`)
    .replace('</head>', `${preloads}</head>`);
  return new Response(page, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}

/** The relative path from a page to the dashboard's root, which also works behind a proxy that strips a prefix. */
function wayToRoot(basePath: string, below: string): string {
  if (below === '') return basePath === '' ? './' : `./${basePath.slice(basePath.lastIndexOf('/') + 1)}/`;
  const depth = below.split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}

/** See RFC 9110, section 12.5.3. `q=0` refuses an encoding. */
function acceptsGzip(header: string | null): boolean {
  return (header ?? '').split(',').some((part) => {
    const [coding, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return (coding === 'gzip' || coding === '*') && !isRefused;
  });
}
