import type { Context } from 'hono';
import type { RouteResponse } from '../route-response.ts';

type Read = () => Promise<Uint8Array<ArrayBuffer>>;

interface ScalarScript {
  /** What the page names it by, so that the browser runs this very file or none. Computed once. */
  integrity(): Promise<string>;
  /** The file, compressed where the browser reads that: it has megabytes. */
  respond(c: Context): Promise<RouteResponse>;
}

export function scalarScript(read: Read): ScalarScript {
  let integrity: Promise<string> | undefined;
  return {
    integrity() {
      integrity ??= read()
        .then(integrityOf)
        .catch((error: unknown) => {
          integrity = undefined; // the next request tries again
          throw error;
        });
      return integrity;
    },
    async respond(c) {
      const file = new Blob([await read()]).stream();
      const isCompressed = /\bgzip\b/.test(c.req.header('Accept-Encoding') ?? '');
      return {
        headers: {
          'Content-Type': 'text/javascript; charset=utf-8',
          // The page asks for it by its hash.
          'Cache-Control': 'public, max-age=31536000, immutable',
          'X-Content-Type-Options': 'nosniff',
          Vary: 'Accept-Encoding',
          ...(isCompressed && { 'Content-Encoding': 'gzip' }),
        },
        body: isCompressed ? file.pipeThrough(new CompressionStream('gzip')) : file,
      };
    },
  };
}

async function integrityOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-384', file));
  return `sha384-${btoa(String.fromCharCode(...hash))}`;
}
