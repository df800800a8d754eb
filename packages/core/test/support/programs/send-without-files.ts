// Sends a message while a process can open no more files, and one after that. Prints the error, then the status.
import { registerHooks } from 'node:module';
import { scriptedGateway } from '../scripted-gateway.ts';
import { connectScripted, sendText, startWorld } from '../world.ts';

let hasFiles = false;
registerHooks({
  load(url, context, nextLoad) {
    if (!hasFiles && url.endsWith('/ff1.ts')) throw new Error('EMFILE: too many open files');
    return nextLoad(url, context);
  },
});

const world = await startWorld({ gateway: scriptedGateway() });
const instance = await connectScripted(world);
const error: unknown = await sendText(world, instance).catch((reason: unknown) => reason);
print(error instanceof Error ? error.message : 'accepted');
hasFiles = true;
print((await sendText(world, instance)).message.status);
await world.trunkline.stop();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
