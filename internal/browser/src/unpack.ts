// Unpacks the browser from npm into TMPDIR. A separate program, because the package takes the folder only from that
// variable.
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

const parts = new URL('../bin/', import.meta.resolve('@sparticuz/chromium'));
for (const part of ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'])
  await inflate(fileURLToPath(new URL(part, parts)));
