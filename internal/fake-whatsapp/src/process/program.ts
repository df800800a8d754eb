// Runs the server in a separate process, which is driven by the process that forked it and ends with that process.
import { startFakeWhatsApp } from '../start-fake-whatsapp.ts';
import type { Reply, Call } from './protocol.ts';

// Silence libsignal, which writes whole sessions, keys included, to the console.
const nothing = () => {};
Object.assign(console, { info: nothing, warn: nothing, error: nothing });

const wa = await startFakeWhatsApp();
process.on('disconnect', () => process.exit());
// The process that forked this program sends only calls.
process.on('message', (call) => void respond(call as Call).then(post));
post({ started: wa.client });

async function respond({ id, method, args }: Call): Promise<Reply> {
  try {
    const implementation: unknown = Object.hasOwn(wa, method) ? Reflect.get(wa, method) : undefined;
    if (typeof implementation !== 'function') throw new Error(`there is no ${method}`);
    return { id, result: await Reflect.apply(implementation, wa, args) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

function post(response: Reply): void {
  process.send?.(response);
}
