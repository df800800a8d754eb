import type { Context } from 'hono';
import type { RouteResponse } from '../route-response.ts';
import { sharedBytes } from '../shared-bytes.ts';

type Read = () => Promise<Uint8Array<ArrayBuffer>>;

interface ScalarScript {
  /** The hash of the script. Browsers run the file only if it has this hash. */
  integrity(): Promise<string>;
  /** Sends the file, which is several megabytes long, compressed if the browser accepts that. */
  respond(c: Context): Promise<RouteResponse>;
}

export function scalarScript(read: Read): ScalarScript {
  const whole = once(read);
  const integrity = once(async () => integrityOf(await whole()));
  const compressed = once(async () => compress(await whole()));
  return {
    integrity,
    async respond(c) {
      const isCompressed = /\bgzip\b/.test(c.req.header('Accept-Encoding') ?? '');
      return {
        headers: {
          'Content-Type': 'text/javascript; charset=utf-8',
          // Caches may keep the file, because its address in the page changes with its content.
          'Cache-Control': 'public, max-age=31536000, immutable',
          'X-Content-Type-Options': 'nosniff',
          Vary: 'Accept-Encoding',
          ...(isCompressed && { 'Content-Encoding': 'gzip' }),
        },
        body: sharedBytes(await (isCompressed ? compressed() : whole())),
      };
    },
  };
}

/** Calls `make` once and keeps its result. After a failure, the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

async function integrityOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-384', file));
  return `sha384-${btoa(String.fromCharCode(...hash))}`;
}

/** Takes tens of milliseconds, so clients without a key must not be able to trigger it repeatedly. */
async function compress(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([file]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
