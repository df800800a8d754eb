// Writes openapi.json, which a test compares with what the API says of itself: `pnpm openapi`.
import { writeFile } from 'node:fs/promises';
import { openApiDocument } from './src/openapi/open-api-document.ts';

const path = new URL('openapi.json', import.meta.url);
await writeFile(path, JSON.stringify(openApiDocument('/api/v1'), null, 2));
