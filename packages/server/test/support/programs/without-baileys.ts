// Preloaded into a server; refuses every package of Baileys, as if only the gateway's own package were installed.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (!/@whiskeysockets|libsignal|whatsapp-rust-bridge/.test(specifier)) return next(specifier, context);
    throw Object.assign(new Error(`Cannot find ${specifier}`), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
