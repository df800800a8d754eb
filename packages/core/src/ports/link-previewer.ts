import type { UrlRules } from '../domain/endpoint/host-rules.ts';

/** A page to look at. The rules are those of webhooks. */
export interface LinkRequest extends UrlRules {
  readonly url: string;
}

/** The facts by which a page introduces itself. They are plain text, and the page chose them. */
export interface PagePreview {
  /** At most 300 characters. */
  readonly title: string;
  /** At most 500 characters. */
  readonly description: string | null;
  /** A JPEG or a PNG of at most 600 KB, by its first bytes; unchecked otherwise. */
  readonly image: Uint8Array | null;
}

/** Fetches previews of pages that other people chose, without ever reaching an address that the rules refuse. */
export interface LinkPreviewer {
  /**
   * Null if the page has nothing to show. Rejects if it cannot be fetched; the error has no part of the URL. Ends with
   * the signal; if only the image is missing then, the preview has none.
   */
  preview(request: LinkRequest, signal: AbortSignal): Promise<PagePreview | null>;
}
