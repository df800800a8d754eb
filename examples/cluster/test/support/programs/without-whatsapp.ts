// Preloaded into a process, which then ends if it loads any code for WhatsApp but the facts that every process needs.
import { registerHooks } from 'node:module';

const CODE =
  /whiskeysockets|libsignal|whatsapp-rust-bridge|gateway-baileys\/(?:src|dist)\/(?!elsewhere|network-facts)/;

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
