import { firstLink, wantsPreview } from '../domain/message/link-preview.ts';
import { hostList } from '../domain/endpoint/host-list.ts';
import type { Message } from '../domain/message/message.ts';
import type { LinkPreview } from '../ports/gateway.ts';
import type { PagePreview } from '../ports/link-previewer.ts';
import { withDeadline } from '../runtime/deadline.ts';
import type { ServiceContext } from './context.ts';

/** How long a text waits for its preview. */
const WITHIN_MS = 3_000;
/** A page that does not end with the signal is waited for this much longer. */
const GRACE_MS = 250;
/** A page that many texts link to is fetched once in this time, also if it has no preview. */
const KEPT_MS = 300_000;
/** Each has an image of at most 600 KB. */
const MOST_KEPT = 32;
/** While as many pages are fetched, texts with other links have no preview. */
const MOST_AT_ONCE = 8;

/** Finds the previews of links in texts. */
export interface LinkPreviews {
  /**
   * Undefined if the text is to have no preview; null if there is none. Never rejects, and resolves within a few
   * seconds.
   */
  of(message: Message): Promise<LinkPreview | null | undefined>;
}

export function createLinkPreviews({ clock, logger, linkPreviewer, settings }: ServiceContext): LinkPreviews {
  const rules = {
    urlPolicy: settings.urlPolicy,
    // A key that sends texts must not read the private hosts that webhooks may reach.
    hosts: settings.hosts && { ...settings.hosts, allow: hostList([]) },
  };
  const kept = new Map<string, { readonly until: number; readonly page: Promise<PagePreview | null> }>();
  let inFlight = 0;

  const fetchPage = async (url: string, messageId: string): Promise<PagePreview | null> => {
    const abort = new AbortController();
    const cancel = clock.setTimer(WITHIN_MS, () => abort.abort(new Error('The page took too long.')));
    inFlight += 1;
    try {
      const fetched = Promise.resolve(linkPreviewer?.preview({ url, ...rules }, abort.signal) ?? null);
      return await withDeadline(clock, { what: 'a link preview', ms: WITHIN_MS + GRACE_MS }, fetched);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      logger.info(
        { messageId, code },
        'a text is sent without a preview of its link, since the page could not be fetched',
      );
      return null;
    } finally {
      cancel();
      inFlight -= 1;
    }
  };

  const pageOf = (url: string, messageId: string): Promise<PagePreview | null> => {
    const now = clock.elapsed();
    for (const [key, { until }] of kept) {
      if (until > now && kept.size < MOST_KEPT) break;
      kept.delete(key);
    }
    const known = kept.get(url);
    if (known) return known.page;
    const page = fetchPage(url, messageId);
    kept.set(url, { until: now + KEPT_MS, page });
    return page;
  };

  return {
    async of(message) {
      if (!wantsPreview(message, settings.linkPreviews)) return undefined;
      const link = firstLink(message.text ?? '');
      if (link === null) return undefined;
      if (inFlight >= MOST_AT_ONCE && !kept.has(link)) return null;
      const page = await pageOf(link, message.id);
      return page && { url: link, ...page };
    },
  };
}
