import { registerHooks } from 'node:module';

/**
 * Takes an import by its path for the file at that path. Node would look for it on the disk, follow each link on the
 * way to it, and read on the way up what kind of files the package has: a fifth of the time that a start takes, for
 * some 900 files. Our own paths lead to files as they stand, and so do those within a package.
 */
export function resolveByPath() {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL, conditions } = context;
      const isPath = specifier.startsWith('./') || specifier.startsWith('../');
      if (!isPath || parentURL === undefined || conditions.includes('require'))
        return next(specifier, context);
      const { href } = new URL(specifier, parentURL);
      if (href.endsWith('.ts')) return { url: href, format: 'module-typescript', shortCircuit: true };
      return href.endsWith('.js') ? { url: href, shortCircuit: true } : next(specifier, context);
    },
  });
}
