import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { MediaStore } from '@trunkline/core';
import { streamOf } from '@trunkline/storage-contract/media-content';
import { ID } from './support/store-on-fake.ts';
import { BUCKET, CREDENTIALS, startRealS3 } from './support/real-s3.ts';

it('The code of the README keeps a file', async () => {
  const real = await startRealS3();
  onTestFinished(() => real.close());
  vi.stubEnv('S3_KEY_ID', CREDENTIALS.accessKeyId);
  vi.stubEnv('S3_SECRET_KEY', CREDENTIALS.secretAccessKey);
  vi.stubEnv('S3_ENDPOINT', real.endpoint);
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const code = /^```ts\n(.*?)^```$/ms.exec(readme)?.[1] ?? '';
  const folder = new URL(`readme-code-${process.pid}/`, import.meta.url);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(folder);
  const file = new URL('readme.ts', folder);
  writeFileSync(file, `${code.replace('acme-media', BUCKET)}\nexport { media };\n`);

  const { media } = (await import(file.href)) as { media: MediaStore }; // the code above exports it
  await media.put(ID, streamOf('Hello'));
  expect(await new Response(await media.get(ID)).text()).toBe('Hello');
  expect(await real.keys()).toEqual([ID]);
});
