// Loaded into the server that `pnpm start` runs: builds the dashboard during the start, so that the first visitor does
// not wait for it. A failed build is retried for that visitor, who sees the error.
import { loadAssets } from '../packages/dashboard/derive/assets.ts';

if (process.env.DASHBOARD !== 'off') loadAssets().catch(() => {});
