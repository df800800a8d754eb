import type { Asset, Assets } from './assets.ts';

const BYTES = new TextEncoder().encode(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <base href="./" />
    <title>Trunkline</title>
  </head>
  <body>
    <p>Trunkline</p>
  </body>
</html>
`);

const document: Asset = { type: 'text/html; charset=utf-8', bytes: BYTES, gzip: null };

export const pageAssets: Assets = async (name) => (name === 'index.html' ? document : null);
