// Checks the providers in a tenant file.

import { type Path, problem } from '../../../core/problem.ts';
import { providerProblems } from '../../../core/providers/identity-provider.ts';
import { withoutEmpty } from '../../admin/providers/provider.ts';
import { providerDefaults } from '../../providers/identity-provider.ts';
import { providerSecret } from '../references.ts';
import type { FileProvider } from '../tenant-file.ts';
import { type Checking, entriesAt, tellTwice } from './checking.ts';

/** Checks the providers of a tenant. */
export function checkProviders(checking: Checking, path: Path, isDevelopment: boolean): void {
  const entries = entriesAt<FileProvider>(checking, path);
  for (const { at, entry } of entries ?? []) {
    const { key = 'key', preset = 'oidc', ...given } = withoutEmpty(entry);
    const sound = { ...providerDefaults(preset), key, position: 0 };
    const named = sound.name === '' ? { ...sound, name: 'Provider' } : sound;
    checking.tell(at, ...providerProblems({ ...named, ...given }, isDevelopment));
    const secret = providerSecret(entry, checking.lookUp);
    if (secret === undefined) continue;
    const place = [...at, secret.field];
    if (!secret.found.ok) checking.tell(place, secret.found.problem);
    else if (secret.field === 'clientSecret' && !isDevelopment) {
      checking.tell(place, problem([], 'secret_in_clear_provider'));
    }
  }
  tellTwice(checking, 'provider', entries, ({ key }) => key);
}
