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

/** Shows the dashboard instead of the document's own content. */
export async function showDashboard(): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no element #root: it is not the dashboard’s own.');
  const queries = createQueryClient();
  // The English texts are bundled with this code.
  await loadAreas(currentLanguage(), ['common', 'shell']);
  const reactRoot = createRoot(root);
  // A transition renders in slices, so that user input does not wait for the whole page.
  startTransition(() =>
    reactRoot.render(
      // The page's Content-Security-Policy refuses styles that a library inserts.
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
