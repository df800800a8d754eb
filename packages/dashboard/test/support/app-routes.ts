import { vi } from 'vitest';

interface RouterModule {
  createAppRouter(): { readonly routesByPath: Readonly<Record<string, unknown>> };
}

export async function pagePaths(): Promise<readonly string[]> {
  // The router uses no other browser object until a page is shown.
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  // The variable hides the import from the compiler, because the tests are compiled without JSX, unlike the app.
  const module: string = '../../app/src/router/router.ts';
  const { createAppRouter } = await vi.importActual<RouterModule>(module);
  vi.unstubAllGlobals();
  return Object.keys(createAppRouter().routesByPath);
}
