import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

/** A scroll position within this distance from the newest row counts as being there. */
const END_PX = 48;
/** More rows are read when the user comes this close to the last of the loaded ones. */
const NEAR_PX = 600;

/** The row at the upper edge, and how far below the edge it begins. */
interface Anchor {
  readonly id: string;
  readonly top: number;
}

interface Options {
  /** Where the newest row is. */
  readonly edge: 'top' | 'bottom';
  /** The position of the newest row of the list. */
  readonly newest: string;
  /** Whether the newest rows are loaded. */
  readonly isAttached: boolean;
  /** The name by which the position is remembered while the list is not shown; by default, it is forgotten. */
  readonly kept?: string;
  onNearOlder(): void;
  onNearNewer(): void;
}

interface ReadingPosition {
  /** The element that scrolls. */
  readonly area: RefObject<HTMLDivElement | null>;
  /** The content of the area; its rows have `data-row`. */
  readonly list: RefObject<HTMLDivElement | null>;
  /** Whether the user is at the newest row. */
  readonly isAtEnd: boolean;
  /** The position of the row that was the newest when the user was last there. */
  readonly seen: string;
  toEnd(): void;
  toRow(id: string): void;
}

const keptAnchors = new Map<string, Anchor | null>();

/**
 * Keeps the text that the user reads in place when content arrives or changes its height: the row at the upper edge, or
 * the newest row. Browsers do this only in part.
 */
export function useReadingPosition(options: Options): ReadingPosition {
  const { newest, kept } = options;
  const area = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  /** Null while the user is at the newest row. */
  const anchor = useRef<Anchor | null>(kept === undefined ? null : (keptAnchors.get(kept) ?? null));
  const [isAtEnd, setAtEnd] = useState(anchor.current === null);
  const [seen, setSeen] = useState(newest);
  const current = useRef(options);
  useLayoutEffect(() => {
    current.current = options;
  });

  const keep = useCallback(() => {
    const scrolled = area.current;
    // Hidden on narrow screens.
    if (!scrolled || scrolled.clientHeight === 0) return;
    const { edge, isAttached, onNearOlder, onNearNewer } = current.current;
    if (anchor.current === null) {
      scrolled.scrollTop = edge === 'top' ? 0 : scrolled.scrollHeight;
    } else {
      const { id, top } = anchor.current;
      const element = rowIn(list.current, id);
      if (element) scrolled.scrollTop += topIn(scrolled, element) - top;
    }
    const toBottom = scrolled.scrollHeight - scrolled.scrollTop - scrolled.clientHeight;
    const toNewest = edge === 'top' ? scrolled.scrollTop : toBottom;
    const toOldest = edge === 'top' ? toBottom : scrolled.scrollTop;
    if (toOldest < NEAR_PX) onNearOlder();
    if (toNewest < NEAR_PX && !isAttached) onNearNewer();
  }, []);

  useLayoutEffect(keep);

  useEffect(() => {
    if (isAtEnd) setSeen(newest);
  }, [isAtEnd, newest]);

  useEffect(() => {
    const scrolled = area.current;
    const content = list.current;
    if (!scrolled || !content) return;
    const onScroll = (): void => {
      if (scrolled.clientHeight === 0) return;
      const { edge, isAttached, kept: name } = current.current;
      const distance =
        edge === 'top'
          ? scrolled.scrollTop
          : scrolled.scrollHeight - scrolled.scrollTop - scrolled.clientHeight;
      anchor.current = isAttached && distance <= END_PX ? null : anchorIn(scrolled, content);
      if (name !== undefined) keptAnchors.set(name, anchor.current);
      setAtEnd(anchor.current === null);
      // A position within the end's distance is not moved, so that the user can scroll away from it.
      if (anchor.current !== null) keep();
    };
    // Runs before the next paint, for example when an image loads or a field grows.
    const observer = new ResizeObserver(keep);
    observer.observe(scrolled);
    observer.observe(content);
    scrolled.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      scrolled.removeEventListener('scroll', onScroll);
    };
  }, [keep]);

  return {
    area,
    list,
    isAtEnd,
    seen,
    toEnd() {
      anchor.current = null;
      setAtEnd(true);
      keep();
      area.current?.focus({ preventScroll: true });
    },
    toRow(id) {
      rowIn(list.current, id)?.scrollIntoView({ block: 'center' });
    },
  };
}

function anchorIn(area: HTMLElement, list: HTMLElement): Anchor | null {
  for (const element of list.querySelectorAll<HTMLElement>('[data-row]')) {
    const id = element.dataset['row'];
    const top = topIn(area, element);
    if (id !== undefined && top + element.offsetHeight > 0) return { id, top };
  }
  return null;
}

function rowIn(list: HTMLElement | null, id: string): Element | null {
  return list?.querySelector(`[data-row="${CSS.escape(id)}"]`) ?? null;
}

function topIn(area: HTMLElement, element: Element): number {
  return element.getBoundingClientRect().top - area.getBoundingClientRect().top;
}
