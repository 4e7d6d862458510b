import { registerHooks } from 'node:module';

// Programs of this project import `rollcall/platform` as others do, and get the sources without a build.
const sources = new URL('../src/platform/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'rollcall/platform' ? sources : specifier, context),
});
