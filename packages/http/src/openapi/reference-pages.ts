import type { ErrorCode } from '@trunkline/core';
import type { Context } from 'hono';
import { json } from '../route-response.ts';
import type { RouteResponse } from '../route-response.ts';
import { CHAPTERS, ROUTES } from '../routes/all-routes.ts';
import { declaredErrors } from '../routes/declared-errors.ts';
import type { Chapter, Route } from '../routes/route.ts';
import { openApiDocument } from './open-api-document.ts';
import type { OpenApiDocument } from './open-api-document.ts';

/** What stands beside the routes, needs no key and is not counted: the path below the base, and its response. */
export type ReferencePages = ReadonlyMap<string, (c: Context) => RouteResponse>;

const DOCUMENT_PATH = '/openapi.json';

export function referencePages({ publicUrl }: { readonly publicUrl?: string | undefined }): ReferencePages {
  let document: OpenApiDocument | undefined; // made for the first who asks: most processes are never asked
  return new Map<string, (c: Context) => RouteResponse>([
    [
      DOCUMENT_PATH,
      (c) => {
        const server = publicUrl ?? c.req.path.slice(0, -DOCUMENT_PATH.length);
        document ??= openApiDocument('/');
        return json({ ...document, servers: [{ url: server === '' ? '/' : server }] });
      },
    ],
    [
      '/docs',
      () => ({
        headers: {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
          'X-Content-Type-Options': 'nosniff',
        },
        body: docsPage(ROUTES),
      }),
    ],
  ]);
}

/** The interactive reference: this very version of it or none, whatever its server may send some day. */
const SCALAR = {
  src: 'https://cdn.jsdelivr.net/npm/@scalar/api-reference@1.72.1/dist/browser/standalone.js',
  integrity: 'sha384-U11tb2XnKvmwt8RlTvnwUnYgrN+ur4Xyh9htLhjajWNR/Oyl5AX5DEz00qRmlrmK',
} as const;

/** Puts the interactive reference in the place of the plain one, once it is there. */
export const START: string = `addEventListener('load', () => {
  if (!window.Scalar) return;
  Scalar.createApiReference('#reference', { url: 'openapi.json', telemetry: false, withDefaultFonts: false });
  document.getElementById('plain').hidden = true;
});`;

/** The hash of `START`: the browser runs it and Scalar, and nothing else. A test keeps it true. */
export const START_HASH: string = 'sha256-fclWoGDxT0jBC3qp2HBU5jHyMMWyicnZ9irslJyGcLs=';

export const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  `script-src '${START_HASH}' https://cdn.jsdelivr.net/npm/@scalar/`,
  "style-src 'unsafe-inline'",
  'img-src data: https:',
  'font-src data:',
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The reference as a page: a plain one that needs nothing but itself, and Scalar over it where its server is reached. */
function docsPage(routes: readonly Route[]): string {
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
<script>${START}</script>
<script src="${SCALAR.src}" integrity="${SCALAR.integrity}" crossorigin="anonymous" async></script>
</body>
</html>
`;
}

const STYLE = `
main { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
dt { margin-top: 1rem; font-weight: 600 }
dd { margin: 0 }
small { color: #555 }
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
  const { method, path, summary, scope, success } = route;
  const needs = scope === null ? 'no particular scope' : `scope <code>${scope}</code>`;
  const errors = [...declaredErrors(route)].map((code: ErrorCode) => `<code>${code}</code>`).join(' ');
  return `<dt><code>${method} ${escaped(path)}</code></dt>
<dd>${escaped(summary)}.<br><small>${needs}; responds with ${success.status}; errors: ${errors}</small></dd>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
