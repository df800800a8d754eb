import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import './tokens.css';
import './base.css';
import { ToastProvider } from './components/toasts.tsx';
import { createAppRouter } from './router/router.ts';
import { applyTheme, keptTheme } from './shell/theme.ts';
import { currentLanguage, LanguageProvider } from './texts/language.tsx';
import { loadAreas } from './texts/loaded-texts.ts';

applyTheme(keptTheme());
const root = document.getElementById('root');
if (!root) throw new Error('The page has no element #root: it is not the dashboard’s own.');
const app = createRoot(root);
// What the frame says. In English, it came with this file.
void loadAreas(currentLanguage(), ['common', 'shell']).then(() =>
  app.render(
    // Styles come from our files alone: the page's Content-Security-Policy refuses any that a library puts in.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={createQueryClient()}>
        <LanguageProvider>
          <ToastProvider>
            <RouterProvider router={createAppRouter()} />
          </ToastProvider>
        </LanguageProvider>
      </QueryClientProvider>
    </CSPProvider>,
  ),
);
