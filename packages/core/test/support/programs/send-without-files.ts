// Sends a message while the process cannot open files, and another one afterwards. Prints the error of the first,
// then the status of the second.
import { registerHooks } from 'node:module';
import { scriptedGateway } from '../scripted-gateway.ts';
import { connectScripted, sendText, startHarness } from '../harness.ts';

let hasFiles = false;
registerHooks({
  // The harness has loaded the module already, but the service's own import of it fails.
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
