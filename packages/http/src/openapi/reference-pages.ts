import type { ErrorCode } from '@trunkline/core';
import type { Context } from 'hono';
import type { RouteResponse } from '../route-response.ts';
import { CHAPTERS, ROUTES } from '../routes/all-routes.ts';
import { declaredErrors } from '../routes/declared-errors.ts';
import { scopesOf } from '../routes/route.ts';
import type { Chapter, Route } from '../routes/route.ts';
import type { DocsOptions } from '../docs-options.ts';
import { sharedBytes } from '../shared-bytes.ts';
import { scalarScript } from './scalar-script.ts';
import { openApiDocument } from './open-api-document.ts';
import type { OpenApiDocument } from './open-api-document.ts';

/**
 * The pages next to the routes, by their paths below the base path. Requests for them need no key, and have no rate
 * limit.
 */
export type ReferencePages = ReadonlyMap<string, (c: Context) => RouteResponse | Promise<RouteResponse>>;

export interface ReferenceOptions {
  readonly publicUrl?: string | undefined;
  readonly docs: DocsOptions | false;
  /** Called if the script of the page cannot be read. The page is then served without it. */
  readonly onUnreadable: (error: unknown) => void;
}

const DOCUMENT_PATH = '/openapi.json';

export function referencePages({ publicUrl, docs, onUnreadable }: ReferenceOptions): ReferencePages {
  let document: OpenApiDocument | undefined; // made on the first request, which most processes never get
  let written: { readonly server: string; readonly bytes: Uint8Array } | undefined;
  const pages = new Map<string, (c: Context) => RouteResponse | Promise<RouteResponse>>([
    [
      DOCUMENT_PATH,
      (c) => {
        const server = publicUrl ?? c.req.path.slice(0, -DOCUMENT_PATH.length);
        document ??= openApiDocument('/');
        if (written?.server !== server) {
          const text = JSON.stringify({ ...document, servers: [{ url: server === '' ? '/' : server }] });
          written = { server, bytes: new TextEncoder().encode(text) };
        }
        return { headers: { 'Content-Type': 'application/json' }, body: sharedBytes(written.bytes) };
      },
    ],
  ]);
  if (docs === false) return pages;
  const { scalar } = docs;
  if (scalar === undefined) return pages.set('/docs', () => docsPage(null));
  const script = scalarScript(scalar);
  pages.set('/docs', async () => docsPage(await script.integrity().catch(onUnreadable)));
  return pages.set(SCRIPT_PATH, (c) => script.respond(c));
}

const SCRIPT_PATH = '/docs/scalar.js';

/** The script that replaces the plain reference with the interactive one after Scalar has loaded. */
export const START: string = `addEventListener('load', () => {
  if (!window.Scalar) return;
  Scalar.createApiReference('#reference', {
    url: 'openapi.json', telemetry: false, withDefaultFonts: false, agent: { disabled: true }, mcp: { disabled: true },
    hideClientButton: true, showDeveloperTools: 'never',
  });
  document.getElementById('plain').hidden = true;
});`;

/** The hash by which the content security policy allows `START`. A test checks the hash. */
export const START_HASH: string = 'sha256-+wSOVNX73pE73skxUfYQKSiqlKdbPZ8Baq45UauOldc=';

/** The page loads nothing from other hosts. Scripts are allowed by their hashes, not by host. */
function contentSecurityPolicy(integrity: string | null): string {
  return [
    "default-src 'none'",
    ...(integrity === null ? [] : [`script-src '${START_HASH}' '${integrity}'`]),
    "style-src 'unsafe-inline'",
    "img-src data: 'self'",
    'font-src data:',
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The reference as a plain page without scripts, which Scalar replaces if its script is available. */
function docsPage(integrity: string | null | void): RouteResponse {
  const script = integrity ?? null;
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy(script),
      'X-Content-Type-Options': 'nosniff',
    },
    body: html(ROUTES, script),
  };
}

function html(routes: readonly Route[], integrity: string | null): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trunkline API</title>
<style>${STYLE}</style>
</head>
<body>
<div id="reference"></div>
<main id="plain">
<h1>Trunkline API</h1>
<p>Every request carries an API key: <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Bodies, fields and examples are in
the <a href="openapi.json">OpenAPI document</a>.</p>
${CHAPTERS.map((own) => chapter(own, routes)).join('\n')}
</main>
${integrity === null ? '' : scripts(integrity)}</body>
</html>
`;
}

/** The script's address changes with its content, so that browsers may cache it. */
function scripts(integrity: string): string {
  const version = encodeURIComponent(integrity.slice(-16));
  return `<script>${START}</script>
<script src="docs/scalar.js?v=${version}" integrity="${integrity}" async></script>
`;
}

/** Styles only the plain page, because Scalar has its own `main`. */
const STYLE = `
#plain { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
#plain dt { margin-top: 1rem; font-weight: 600 }
#plain dd { margin: 0 }
#plain small { color: #555 }
`;

function chapter(wanted: Chapter, routes: readonly Route[]): string {
  const { tag } = wanted;
  const own = routes.filter((route) => route.chapter === wanted);
  return `<h2>${escaped(tag.name)}</h2>
<p>${escaped(tag.description)}</p>
<dl>
${own.map(entry).join('\n')}
</dl>`;
}

function entry(route: Route): string {
  const { method, path, summary, success } = route;
  const scopes = scopesOf(route).map((scope) => `<code>${scope}</code>`);
  const needs =
    scopes.length === 0
      ? 'no particular scope'
      : `scope${scopes.length > 1 ? 's' : ''} ${scopes.join(' and ')}`;
  const errors = [...declaredErrors(route)].map((code: ErrorCode) => `<code>${code}</code>`).join(' ');
  return `<dt><code>${method} ${escaped(path)}</code></dt>
<dd>${escaped(summary)}.<br><small>${needs}; responds with ${success.status}; errors: ${errors}</small></dd>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
