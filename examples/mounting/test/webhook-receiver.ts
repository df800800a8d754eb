import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { listening } from './listening.ts';

/** Accepts every webhook that has a signature. Returns its URL. */
export async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const signed = /^v1=[0-9a-f]{64}$/.test(String(request.headers['x-service-signature']));
    response.writeHead(signed ? 204 : 401).end();
  });
  onTestFinished(() => void server.close());
  return `${await listening(server.listen(0, '127.0.0.1'))}/hook`;
}
