import type { Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { html } from 'hono/html';
import { secureHeaders } from 'hono/secure-headers';

interface Place {
  readonly name: string;
  readonly title: string;
  readonly url: string;
}

interface Served {
  readonly api: boolean;
  readonly reference: boolean;
  readonly dashboard: boolean;
}

const DOCS = 'https://github.com/trunkline/trunkline/blob/main/docs/README.md';

const STYLE = `
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem; }
  :root { color-scheme: light dark; }`;

/**
 * `GET /`: names this server and its parts. A browser gets a page, and a program gets the same as JSON: `{ "service":
 * "trunkline", "links": { "api": "/api/v1", … } }`. Both omit the version, because they are public.
 */
export function addFrontPage(app: Hono, served: Served): void {
  const places = placesOf(served);
  const links = Object.fromEntries(places.map(({ name, url }) => [name, url]));
  const policy = { defaultSrc: ["'none'"], styleSrc: ["'unsafe-inline'"], frameAncestors: ["'none'"] };
  app.use('/', secureHeaders({ contentSecurityPolicy: policy, strictTransportSecurity: false }));
  app.get('/', (c) => {
    c.header('Vary', 'Accept');
    const type = accepts(c, {
      header: 'Accept',
      supports: ['application/json', 'text/html'],
      default: 'application/json',
    });
    return type === 'text/html' ? c.html(page(places)) : c.json({ service: 'trunkline', links });
  });
}

function placesOf({ api, reference, dashboard }: Served): readonly Place[] {
  return [
    ...(dashboard ? [{ name: 'dashboard', title: 'The dashboard', url: '/dashboard' }] : []),
    ...(api ? [{ name: 'api', title: 'The REST API, for programs with an API key', url: '/api/v1' }] : []),
    ...(api && reference
      ? [{ name: 'reference', title: 'The reference of the API', url: '/api/v1/docs' }]
      : []),
    ...(api ? [{ name: 'openapi', title: 'Its OpenAPI document', url: '/api/v1/openapi.json' }] : []),
    { name: 'docs', title: 'The documentation', url: DOCS },
  ];
}

function page(places: readonly Place[]): ReturnType<typeof html> {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Trunkline</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>Trunkline</h1>
          <p>This server sends and receives messages for phone numbers that are linked to it.</p>
          <ul>
            ${places.map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>`)}
          </ul>
        </main>
      </body>
    </html>`;
}
