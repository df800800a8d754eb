import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import starlightOpenAPI, { openAPISidebarGroups } from 'starlight-openapi';
import starlightTypeDoc from 'starlight-typedoc';
import { base, site } from './src/address.ts';
import { writeEntryPoints } from './src/entry-points.ts';
import { sections } from './src/write-pages.ts';

const REPOSITORY = 'https://github.com/trunkline/trunkline';

const entryPoints = writeEntryPoints();

/** The exports of each package, by the names that its users import from. */
const typeScriptApi = {
  label: 'TypeScript API',
  collapsed: true,
  items: entryPoints.map(({ name }) => ({ label: name, slug: `typescript/${name.replace('@', '')}` })),
};

export default defineConfig({
  // Without an address, there is no sitemap. An empty plugin of this name keeps Starlight from adding its own, which
  // would warn.
  ...(site === undefined ? {} : { site }),
  base: `${base}/`,
  trailingSlash: 'always',
  // A native module, which cannot be bundled.
  vite: { ssr: { external: ['satteri'] } },
  integrations: [
    ...(site === undefined ? [{ name: '@astrojs/sitemap', hooks: {} }] : []),
    starlight({
      title: 'Trunkline',
      customCss: ['./src/site.css'],
      disable404Route: true, // this route warns with and without a page 404
      social: [{ icon: 'github', label: 'GitHub', href: REPOSITORY }],
      plugins: [
        starlightOpenAPI([
          {
            base: 'api',
            schema: '../packages/http/openapi.json',
            sidebar: { label: 'REST API', collapsed: true },
          },
        ]),
        starlightTypeDoc({
          entryPoints: entryPoints.map(({ file }) => file),
          tsconfig: './tsconfig.json',
          output: 'typescript',
          typeDoc: {
            readme: 'none',
            outputFileStrategy: 'modules',
            skipErrorChecking: true, // `pnpm types` checks them
            disableSources: true,
            useHTMLAnchors: true, // for a name that is a type and a value, TypeDoc counts headings differently from the site
          },
        }),
      ],
      sidebar: sections().map(({ title, pages }) => ({
        label: title,
        collapsed: true, // except for the part with the current page
        items: [
          ...pages.map((page) => ({ label: page.title, slug: page.slug })),
          ...(title === 'Reference' ? [...openAPISidebarGroups, typeScriptApi] : []),
        ],
      })),
    }),
  ],
});
