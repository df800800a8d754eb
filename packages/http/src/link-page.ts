import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import { secureHeaders } from 'hono/secure-headers';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isTrunklineError } from '@trunkline/core';
import type { CredentialField, LinkPage, Trunkline } from '@trunkline/core';
import { consoleLogger } from '@trunkline/core/spi/http';
import { logFailure } from './log-failure.ts';
import { publicErrorOf } from './error-response.ts';
import type { PublicError } from './error-response.ts';

/** The part of a Trunkline that the pages need. */
export type LinkedTrunkline = Pick<Trunkline, 'linkPages' | 'newRequestId'> &
  Partial<Pick<Trunkline, 'logger'>>;

/** In bytes: the longest credentials, as a form encodes them. */
const LARGEST_FORM = 1_048_576;

/**
 * The pages on which people enter the credentials of instances, as a Hono app. Serve it at the address that is the option
 * `linkPage` of the Trunkline. The pages need no key: the token at the end of an address is only in the QR of one
 * instance, and valid only while the instance shows it. They run no script.
 */
export function createLinkPage(trunkline: LinkedTrunkline): Hono {
  if (typeof trunkline?.linkPages?.find !== 'function')
    throw new TypeError('createLinkPage: the first argument must be what createTrunkline() returns.');
  const { linkPages, logger = consoleLogger } = trunkline;
  /** Logs a failure without the path, which has the token. */
  const shown = (error: unknown): PublicError => {
    const requestId = trunkline.newRequestId();
    if (!isTrunklineError(error)) logFailure(logger, error, { request: { requestId, page: 'link' } });
    return publicErrorOf(error);
  };
  const formLimit = bodyLimit({
    maxSize: LARGEST_FORM,
    onError: (c) => c.html(words('Too large', 'Enter shorter values.'), 413),
  });
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: ["'unsafe-inline'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: 'no-referrer',
      strictTransportSecurity: false,
    }),
  );
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
    c.header('X-Robots-Tag', 'noindex');
  });
  app.get('*', async (c) => c.html(form(await linkPages.find(tokenOf(c)), {})));
  app.post('*', formLimit, async (c) => {
    const token = tokenOf(c);
    const page = await linkPages.find(token);
    const sent = await c.req.parseBody();
    const given = Object.entries(sent).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    );
    const credentials: Record<string, string> = Object.fromEntries(given);
    try {
      await linkPages.submit(token, credentials);
    } catch (error) {
      const { status, message, details } = shown(error);
      const wrong = details?.fields?.['credentials'] ?? [message];
      return c.html(form(page, { wrong, given: credentials }), status as ContentfulStatusCode);
    }
    return c.html(words('Linked', `${page.name} has its credentials now, and is connecting.`));
  });
  app.all('*', (c) => {
    c.header('Allow', 'GET, HEAD, POST');
    return c.html(words('Not found', 'There is nothing at this address.'), 405);
  });
  app.onError((error, c) => {
    const { status, message } = shown(error);
    return c.html(words('Not possible', message), status as ContentfulStatusCode); // no error code has a status without a body
  });
  return app;
}

function tokenOf(c: Context): string {
  return c.req.path.slice(c.req.path.lastIndexOf('/') + 1);
}

type Html = ReturnType<typeof html>;

interface Attempt {
  readonly wrong?: readonly string[];
  readonly given?: Readonly<Record<string, string>>;
}

function form({ name, network, credentials }: LinkPage, { wrong = [], given = {} }: Attempt): Html {
  return layout(
    `Link ${name}`,
    html`<p>
        ${name} is a number on ${network}. Enter its credentials: they are stored encrypted, and never shown.
      </p>
      ${wrong.length > 0 ? html`<p role="alert">${wrong.join(' ')}</p>` : ''}
      <form method="post" autocomplete="off">
        ${credentials.map((field) => input(field, given[field.name] ?? ''))}
        <button>Link</button>
      </form>`,
  );
}

/** An input with the value that was sent before, unless it is secret. */
function input({ name, secret, required, about }: CredentialField, before: string): Html {
  return html`<label>
    <b>${name}</b>${required ? '' : ' (optional)'}<br />
    <small>${about}</small>
    <input
      name="${name}"
      type="${secret ? 'password' : 'text'}"
      value="${secret ? '' : before}"
      autocomplete="off"
      ${required ? 'required' : ''}
    />
  </label>`;
}

function words(title: string, text: string): Html {
  return layout(title, html`<p>${text}</p>`);
}

const STYLE = `
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 10vh auto; padding: 0 1rem; }
  label { display: block; margin: 1rem 0; }
  input { box-sizing: border-box; font: inherit; padding: 0.4rem; width: 100%; }
  button { font: inherit; padding: 0.4rem 1.2rem; }
  [role=alert] { border-left: 4px solid; padding-left: 0.8rem; }
  :root { color-scheme: light dark; }`;

function layout(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
}
