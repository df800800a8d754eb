import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { WhenOpened } from '../components/when-opened.tsx';
import { LiveProvider } from '../live/live.tsx';
import { useTexts } from '../texts/language.tsx';
import styles from './frame.module.css';
import { LiveIndicator } from './live-indicator.tsx';
import { useSession } from './session-context.ts';
import { Shortcuts } from './shortcuts.tsx';
import { Sidebar } from './sidebar.tsx';

const DrawerPopup = lazy(async () => ({ default: (await import('./drawer-popup.tsx')).DrawerPopup }));

/** The sidebar, or on a narrow screen a bar with a menu, and the page. */
export function Frame(): ReactNode {
  const t = useTexts('shell');
  const { workspace: inUrl } = useParams({ strict: false });
  const { workspace: bound } = useSession();
  const workspaceId = inUrl ?? bound?.id ?? null;
  const main = useRef<HTMLElement>(null);
  return (
    <LiveProvider workspaceId={workspaceId}>
      <div className={styles['frame']}>
        <button type="button" className={styles['skip']} onClick={() => main.current?.focus()}>
          {t.skip}
        </button>
        {/* One of the two is shown. */}
        <header className={styles['bar']}>
          <Drawer workspaceId={workspaceId} />
          <LiveIndicator />
        </header>
        <header className={styles['side']}>
          <Sidebar workspaceId={workspaceId} />
        </header>
        <main ref={main} tabIndex={-1} className={styles['main']}>
          <Suspense>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Shortcuts workspaceId={workspaceId} />
    </LiveProvider>
  );
}

function Drawer({ workspaceId }: { readonly workspaceId: string | null }): ReactNode {
  const t = useTexts('shell');
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <>
      <button
        type="button"
        className={styles['menu']}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
        {t.menu}
      </button>
      <WhenOpened isOpen={isOpen}>
        <DrawerPopup isOpen={isOpen} onOpenChange={setOpen} label={t.menu}>
          <Sidebar workspaceId={workspaceId} />
        </DrawerPopup>
      </WhenOpened>
    </>
  );
}
