// Sends a message while a process can open no more files, and one after that. Prints the error, then the status.
import { registerHooks } from 'node:module';
import { scriptedGateway } from '../scripted-gateway.ts';
import { connectScripted, sendText, startHarness } from '../harness.ts';

let hasFiles = false;
registerHooks({
  // The harness has loaded the module already. To the service it is as if it could not be.
  resolve(specifier, context, nextResolve) {
    const isOfService = context.parentURL?.endsWith('/network-ids.ts') === true;
    if (!hasFiles && isOfService && specifier.endsWith('/ff1.ts'))
      throw new Error('EMFILE: too many open files');
    return nextResolve(specifier, context);
  },
});

const harness = await startHarness({ gateway: scriptedGateway() });
const instance = await connectScripted(harness);
const error: unknown = await sendText(harness, instance).catch((reason: unknown) => reason);
print(error instanceof Error ? error.message : 'accepted');
hasFiles = true;
print((await sendText(harness, instance)).message.status);
await harness.trunkline.stop();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
