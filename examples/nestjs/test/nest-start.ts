// Compiles a program as `nest start` does, because Node does not support decorators. Also makes packages/nestjs import
// the app's NestJS, as it would if it were installed; in this workspace, it would import its own.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const APP = new URL('../src/', import.meta.url).href;
const { config } = ts.readConfigFile(
  fileURLToPath(new URL('../tsconfig.json', import.meta.url)),
  ts.sys.readFile,
);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@nestjs/') && context.parentURL?.includes('/packages/nestjs/')) {
      return next(specifier, { ...context, parentURL: APP });
    }
    const isOwn = specifier.startsWith('.') && context.parentURL?.startsWith(APP);
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith(APP)) return next(url, context);
    const { outputText } = ts.transpileModule(readFileSync(new URL(url), 'utf8'), {
      compilerOptions: { ...options, target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext },
    });
    return { format: 'module', source: outputText, shortCircuit: true };
  },
});
