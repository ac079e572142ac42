// What a production start does while the service has no administrator.
import type { Config } from '../../config.ts';
import { systemAdminTenantId } from '../../storage/operators/first-admin.ts';
import type { Store } from '../../storage/store.ts';
import { StartupError } from '../../system/startup-error.ts';
import { type FactProblem, type FirstAdminDeps, makeFirstAdmin, offerSetup } from './first-admin.ts';

/** What is wrong with a setting that names the first administrator. */
const problemTexts: Readonly<Record<string, string>> = {
  'email taken': 'MEMBERDOOR_ADMIN_EMAIL is the address of a member who is no administrator.',
  'password short':
    'MEMBERDOOR_ADMIN_PASSWORD has too few characters: 12 are needed, or what the tenant sets.',
  'password long': 'MEMBERDOOR_ADMIN_PASSWORD has more than 1,024 bytes.',
  'password common': 'MEMBERDOOR_ADMIN_PASSWORD is on the lists that attackers try first.',
  'password address': 'MEMBERDOOR_ADMIN_PASSWORD is the address of the administrator.',
};

/**
 * What a production start does while the service has no administrator: it makes the administrator that the
 * settings name, or offers a link of one use that makes one. There is never a default password.
 *
 * @returns the link, or null where none is needed
 * @throws StartupError if the settings name a person who cannot be the administrator
 */
export async function firstRun(
  store: Store,
  config: Pick<Config, 'environment' | 'issuer' | 'firstAdmin' | 'port'>,
  deps: FirstAdminDeps,
): Promise<string | null> {
  const { environment, issuer, firstAdmin, port } = config;
  if (environment !== 'production' || (await store.transaction(systemAdminTenantId)) !== null) return null;
  if (firstAdmin === null || issuer === null) {
    return `${issuer ?? `http://127.0.0.1:${port}`}/setup/${await offerSetup(store, deps)}`;
  }
  const facts = {
    ...firstAdmin,
    issuer,
    tenantName: new URL(issuer).hostname.slice(0, 60),
    fullName: 'Administrator',
    language: null,
  };
  const result = await makeFirstAdmin(store, facts, null, null, deps);
  if (result.kind === 'invalid') throw new StartupError(result.problems.map(textOf).join(' '));
  return null;
}

function textOf({ field, problem }: FactProblem): string {
  return problemTexts[`${field} ${problem}`] ?? `The ${field} of the first administrator is ${problem}.`;
}

/** What the start prints for the operator. */
export function setupNotice(link: string): string {
  return `\nThis service has no administrator yet. This link makes the first administrator, once:\n\n  ${link}\n\n`;
}
