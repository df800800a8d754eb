/**
 * The module `#hmac`: `hmac-node.ts` under Node, Bun and Deno, `hmac-web.ts` elsewhere (package.json, "imports"). Only
 * Web Crypto has to be awaited.
 */
export interface Hmac {
  /** HMAC-SHA256 (RFC 2104) in lower-case hex. */
  hmacHex(key: Key, content: Content): string | Promise<string>;
  /** Compares in constant time. `hex` is 64 hexadecimal characters in either case. */
  hmacMatches(key: Key, content: Content, hex: string): boolean | Promise<boolean>;
}

/** Text is encoded as UTF-8. */
export type Key = string | Uint8Array;

/** The content that is signed, in two consecutive parts. */
export interface Content {
  /** ASCII only. */
  readonly prefix: string;
  /** Text is encoded as UTF-8. */
  readonly body: string | Uint8Array;
}
