import './tokens.css';
import './base.css';
import './waiting.css';
import { currentLanguage } from './texts/current-language.ts';
import { NOT_LOADED } from './texts/not-loaded.ts';
import { applyTheme, keptTheme } from './shell/theme.ts';

// This script is small, so that the browser paints the document's first content (`waiting.css`) before the dashboard's
// code occupies the processor.

applyTheme(keptTheme());
if (location.pathname.endsWith('/sign-in')) document.querySelector('.waiting')?.classList.add('is-alone');

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

// A hidden tab gets no next frame.
if (document.hidden) void load();
else requestAnimationFrame(() => setTimeout(() => void load()));
