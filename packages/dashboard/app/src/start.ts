import './tokens.css';
import './base.css';
import './waiting.css';
import { currentLanguage } from './texts/current-language.ts';
import { NOT_LOADED } from './texts/not-loaded.ts';
import { applyTheme, keptTheme } from './shell/theme.ts';

// The document's own script is small, so that the document's first content (`waiting.css`) is painted before the
// dashboard's code, which is fetched meanwhile, occupies the processor.

applyTheme(keptTheme());

async function load(): Promise<void> {
  try {
    const { showDashboard } = await import('./main.tsx');
    await showDashboard();
  } catch (error) {
    const text = document.createElement('p');
    text.role = 'alert';
    text.textContent = NOT_LOADED[currentLanguage()];
    document.querySelector('.waiting')?.append(text);
    throw error; // for the browser's console
  }
}

// A tab in the background does not paint, so it never gets a next frame.
if (document.hidden) void load();
else requestAnimationFrame(() => setTimeout(() => void load()));
