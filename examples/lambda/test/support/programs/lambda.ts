// Passes one event after another to a handler, like Lambda, and sends each result.
import process from 'node:process';
import type { LambdaEvent } from 'hono/aws-lambda';
import { handler } from '../../../src/handler.ts';

async function respondTo(event: LambdaEvent): Promise<void> {
  process.send?.(await handler(event));
}

process.on('message', (event: LambdaEvent) => void respondTo(event));
process.send?.('ready');
