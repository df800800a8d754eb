// Preloaded into a process, which then ends if it loads any code for WhatsApp.
import { registerHooks } from 'node:module';

const CODE = /gateway-baileys|baileys|libsignal|whatsapp-rust-bridge/;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    if (CODE.test(resolved.url)) {
      process.stderr.write(`this process loads ${specifier}\n`);
      process.exit(1);
    }
    return resolved;
  },
});
