// Loaded ahead of openapi-typescript: it writes types with the TypeScript of version 5, and finds ours of version 7.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
