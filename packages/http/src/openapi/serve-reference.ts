import type { Context } from 'hono';
import { json } from '../answer.ts';
import type { Answer } from '../answer.ts';
import { ROUTES } from '../routes/all-routes.ts';
import { CONTENT_SECURITY_POLICY, docsPage } from './docs-page.ts';
import { openApiDocument } from './open-api-document.ts';
import type { OpenApiDocument } from './open-api-document.ts';

/** What stands beside the routes, needs no key and is not counted: the path below the base, and its answer. */
export type ReferencePages = ReadonlyMap<string, (c: Context) => Answer>;

const DOCUMENT_PATH = '/openapi.json';

export function referencePages({ publicUrl }: { readonly publicUrl?: string | undefined }): ReferencePages {
  let document: OpenApiDocument | undefined; // made for the first who asks: most processes are never asked
  return new Map<string, (c: Context) => Answer>([
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
