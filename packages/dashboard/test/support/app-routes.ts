import { vi } from 'vitest';

interface RouterModule {
  createAppRouter(): { readonly routesByPath: Readonly<Record<string, unknown>> };
}

/** The path of every page that the router of the app knows: `/w/$workspace/numbers`. */
export async function pagePaths(): Promise<readonly string[]> {
  // All that is looked at in a browser before a page is shown.
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  // By a name that the compiler does not follow: these tests are not compiled as the app is, with JSX.
  const module: string = '../../app/src/router/router.ts';
  const { createAppRouter } = await vi.importActual<RouterModule>(module);
  vi.unstubAllGlobals();
  return Object.keys(createAppRouter().routesByPath);
}
