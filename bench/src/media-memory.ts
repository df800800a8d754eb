import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServerFacts } from './media-server.ts';

/**
 * The memory that many concurrent large uploads cost a server, which runs the whole stack on files and SQLite in a
 * separate process. Exits 1 if its resident memory grows by more than the limit.
 */
const MB = 1_048_576;
const UPLOADS = Number(process.env['UPLOADS'] ?? 20);
const FILE_BYTES = Number(process.env['FILE_MB'] ?? 90) * MB;
const LIMIT_MB = 200;
const SAMPLE_MS = 25;

const server = fork(fileURLToPath(new URL('media-server.ts', import.meta.url)), {
  execArgv: ['--conditions=source'],
});
const [facts] = (await once(server, 'message')) as [ServerFacts]; // the first message of the server

// The first upload and download load code whose memory must not count.
await download(facts, await upload(facts, MB));
await wait(500);
const before = await residentMemory(server);

const uploading = await during(server, () =>
  Promise.all(Array.from({ length: UPLOADS }, () => upload(facts, FILE_BYTES))),
);
const downloading = await during(server, () =>
  Promise.all(uploading.result.map((id) => download(facts, id))),
);
server.disconnect();

report('uploads', uploading);
report('downloads', downloading);
const isWithin = Math.max(uploading.peak, downloading.peak) - before <= LIMIT_MB * MB;
console.log(isWithin ? `within ${LIMIT_MB} MB` : `MORE than ${LIMIT_MB} MB`);
process.exitCode = isWithin ? 0 : 1;

function report(what: string, { peak, seconds }: { readonly peak: number; readonly seconds: number }): void {
  const mb = (bytes: number): string => `${(bytes / MB).toFixed(0)} MB`;
  console.log(
    `${UPLOADS} ${what} of ${mb(FILE_BYTES)} concurrently: ${seconds.toFixed(1)} s; ` +
      `resident memory before ${mb(before)}, peak ${mb(peak)}, growth ${mb(peak - before)}`,
  );
}

async function during<Result>(
  process: ChildProcess,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly peak: number; readonly seconds: number }> {
  const began = performance.now();
  let peak = 0;
  let going = true;
  const sampling = (async () => {
    while (going) {
      peak = Math.max(peak, await residentMemory(process));
      await wait(SAMPLE_MS);
    }
  })();
  const result = await work();
  going = false;
  await sampling;
  return { result, peak, seconds: (performance.now() - began) / 1000 };
}

async function residentMemory(process: ChildProcess): Promise<number> {
  process.send('memory');
  const [{ rss }] = (await once(process, 'message')) as [{ rss: number }]; // the server's response
  return rss;
}

/** Generates the file while it is sent. Returns the id of its message. */
async function upload({ url, token, instance }: ServerFacts, size: number): Promise<string> {
  const field = (name: string, value: string): string =>
    `--bench\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = Buffer.from(
    `${field('instance', instance)}${field('to', '15550100')}${field('type', 'document')}` +
      '--bench\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n',
  );
  const foot = Buffer.from('\r\n--bench--\r\n');
  const sending = request(`${url}/api/v1/messages`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'multipart/form-data; boundary=bench',
      'Content-Length': head.length + size + foot.length,
    },
  });
  const responded = once(sending, 'response');
  const chunk = Buffer.alloc(65_536, 'not in memory as a whole ');
  sending.write(head);
  for (let left = size; left > 0; left -= chunk.length) {
    if (!sending.write(chunk.subarray(0, Math.min(left, chunk.length)))) await once(sending, 'drain');
  }
  sending.end(foot);
  const [response] = await responded;
  const { data, error } = JSON.parse(await text(response));
  if (response.statusCode !== 202) throw new Error(`${response.statusCode}: ${JSON.stringify(error)}`);
  return data.id;
}

async function download({ url, token }: ServerFacts, id: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/messages/${id}/media`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  let size = 0;
  for await (const chunk of response.body ?? []) size += chunk.byteLength;
  if (String(size) !== response.headers.get('Content-Length')) throw new Error(`${id}: ${size} bytes came.`);
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  let whole = '';
  for await (const chunk of stream) whole += chunk.toString();
  return whole;
}
