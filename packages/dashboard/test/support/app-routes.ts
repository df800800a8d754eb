import { vi } from 'vitest';

interface RouterModule {
  createAppRouter(): { readonly routesByPath: Readonly<Record<string, unknown>> };
}

/** The path of every page that the router of the app knows: `/w/$workspace/numbers`. */
export async function pagePaths(): Promise<readonly string[]> {
  // The only browser object that is used before a page is shown.
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  // The name hides the import from the compiler: these tests are not compiled like the app, with JSX.
  const module: string = '../../app/src/router/router.ts';
  const { createAppRouter } = await vi.importActual<RouterModule>(module);
  vi.unstubAllGlobals();
  return Object.keys(createAppRouter().routesByPath);
}
