// Preloaded into a server; simulates that @trunkline/gateway-baileys is not installed.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.includes('baileys')) return next(specifier, context);
    throw Object.assign(new Error(`Cannot find ${specifier}`), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
