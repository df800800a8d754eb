import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { ToastProvider } from './components/toasts.tsx';
import { createAppRouter } from './router/router.ts';
import { currentLanguage } from './texts/current-language.ts';
import { LanguageProvider } from './texts/language.tsx';
import { loadAreas } from './texts/loaded-texts.ts';

/** Shows the dashboard in place of what the document shows by itself. */
export async function showDashboard(): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no element #root: it is not the dashboard’s own.');
  const queries = createQueryClient();
  // What the frame says. In English, it came with this file.
  await loadAreas(currentLanguage(), ['common', 'shell']);
  const reactRoot = createRoot(root);
  // In slices: what somebody does meanwhile does not wait for all of it.
  startTransition(() =>
    reactRoot.render(
      // Styles come from our files alone: the page's Content-Security-Policy refuses any that a library puts in.
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <LanguageProvider>
            <ToastProvider>
              <RouterProvider router={createAppRouter(queries)} />
            </ToastProvider>
          </LanguageProvider>
        </QueryClientProvider>
      </CSPProvider>,
    ),
  );
}
