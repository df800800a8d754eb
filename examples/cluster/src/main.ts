import { startCluster } from './cluster.ts';

const { HOST = '127.0.0.1', PORT = '8080', DATABASE_URL = '' } = process.env;

let isEnding = false;
const cluster = await startCluster({
  host: HOST,
  port: Number(PORT),
  databaseUrl: DATABASE_URL === '' ? null : DATABASE_URL,
  notify: (name, line) => console.log(`[${name}] ${line}`),
}).catch((error: unknown) => {
  console.error(`cluster: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});

for (const { name, pid } of cluster.processes) console.log(`${name} is process ${pid()}`);
for (const [name, url] of cluster.apis) console.log(`${name} is at ${url}/api/v1`);
console.log(`The sandbox network's log is at ${cluster.networkUrl}/log`);
console.log(`Both APIs are behind ${cluster.url}/api/v1`);
console.log('Ctrl-C stops everything.');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isEnding) return;
    isEnding = true;
    console.log('Stopping: what is in flight is finished first.');
    void cluster.stop().then(() => process.exit(0));
  });
}
