// Makes the first administrator: with the link that a production start offers, or of its settings.
import type { ServiceConfig } from '../../config.ts';
import { sha256 } from '../../core/hash.ts';
import { emailProblem, fullNameProblem, textProblem } from '../../core/members/details.ts';
import { brandNameLength, passwordLength } from '../../core/members/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { passwordProblem } from '../../core/members/password.ts';
import { auditEvent, serviceSource } from '../../core/operators/audit-event.ts';
import { readIssuer, type Tenant } from '../../core/tenant.ts';
import { findMemberByEmail, insertMember } from '../../storage/members/member.ts';
import { insertAuditEvent } from '../../storage/operators/audit-event.ts';
import { findService, saveSetupHash, systemAdminTenantId, useSetup } from '../../storage/service.ts';
import type { Store } from '../../storage/store.ts';
import { StartupError } from '../../system/startup-error.ts';
import { newMember } from '../member/member.ts';
import { passwordEstimate } from '../member/password-strength.ts';
import type { Tenants } from '../tenant/open-tenants.ts';
import { plainTenant, prepareTenant, storeTenant } from '../tenant/tenant.ts';
import type { ServiceDeps } from './service.ts';

/** Who is to be the first administrator, and of what, as it was entered. */
export interface FirstAdminFacts {
  readonly tenantName: string;
  /** The tenant's public address; one that is there already gets the administrator and keeps its name. */
  readonly issuer: string;
  readonly fullName: string;
  readonly email: string;
  readonly password: string;
  /** The language that the administrator reads, as a tag; null if it is not known. */
  readonly language: string | null;
}

/** What is wrong with a field: the last parts of the text's key. */
export interface FactProblem {
  readonly field: 'tenantName' | 'issuer' | 'fullName' | 'email' | 'password';
  readonly problem: string;
}

export type FirstAdminResult =
  | { readonly kind: 'made' }
  /** There is an administrator already, or the link was used. */
  | { readonly kind: 'late' }
  | { readonly kind: 'invalid'; readonly problems: readonly FactProblem[] };

/** What these operations need beside the store. */
export interface FirstAdminDeps extends ServiceDeps {
  readonly tenants: Tenants;
}

/**
 * Makes the secret of a new link; every earlier one works no more. Only its hash is kept. Where several processes
 * start, all print the same link: which of them started last no operator should have to know.
 */
export async function offerSetup(
  store: Store,
  { random, vault }: Pick<ServiceDeps, 'random' | 'vault'>,
): Promise<string> {
  return store.transaction(async (tx) => {
    const service = store.isShared ? await findService(tx) : null;
    const secret =
      service === null
        ? random.secret()
        : vault.secretOf('set-up', `${service.initialisedAt}`, `${service.tokensFrom}`);
    await saveSetupHash(tx, sha256(secret));
    return secret;
  });
}

/**
 * Makes the first tenant with its keys and the first system administrator, in one transaction, once: of many
 * that come at the same moment one does it.
 *
 * @param by the secret of the link; null for the operator who starts the service
 * @param address where it was asked from; null for the machine itself
 */
export async function makeFirstAdmin(
  store: Store,
  facts: FirstAdminFacts,
  by: string | null,
  address: string | null,
  deps: FirstAdminDeps,
): Promise<FirstAdminResult> {
  const known = deps.tenants.all().find(({ issuer }) => issuer === readIssuer(facts.issuer)?.issuer) ?? null;
  const problems = await problemsOf(facts, known);
  if (problems.length > 0) return { kind: 'invalid', problems };
  const passwordHash = await deps.passwords.hash(facts.password);
  const begun = known === null ? await prepareTenant(tenantOf(facts, deps), deps.vault, deps.now) : null;
  const tenantId = (known ?? begun?.tenant)?.id ?? '';
  let putInPlace = () => {};
  const result = await store.transaction(async (tx): Promise<FirstAdminResult> => {
    if ((await systemAdminTenantId(tx)) !== null) return { kind: 'late' };
    if ((await findMemberByEmail(tx, tenantId, facts.email)) !== null) {
      return { kind: 'invalid', problems: [{ field: 'email', problem: 'taken' }] };
    }
    if (by !== null && !(await useSetup(tx, sha256(by), deps.now))) return { kind: 'late' };
    if (begun !== null) await storeTenant(tx, begun, deps.now);
    const about: Partial<Member> = {
      email: facts.email.trim(),
      // The operator of the service vouches for it.
      emailVerified: true,
      fullName: facts.fullName.trim(),
      locale: facts.language,
      userType: 'system_admin',
    };
    const member = await newMember(tx, tenantId, about, deps.random, deps.now);
    await insertMember(tx, member, passwordHash);
    const source = { ...serviceSource(deps.now), tenantId, actorKind: 'operator', address } as const;
    const setUp = { event: 'admin_acted', target: member.id, reason: 'set up' } as const;
    await insertAuditEvent(tx, auditEvent(source, setUp));
    putInPlace = await deps.tenants.read(tx);
    return { kind: 'made' };
  });
  if (result.kind === 'made') putInPlace();
  return result;
}

/** Everything that is wrong with the facts. */
async function problemsOf(facts: FirstAdminFacts, known: Tenant | null): Promise<readonly FactProblem[]> {
  const { tenantName, issuer, fullName, email, password } = facts;
  const rules = {
    least: known?.passwordLength ?? passwordLength.default,
    email,
    names: [fullName, known?.name ?? tenantName],
    guessesTo: await passwordEstimate(),
  };
  const found = {
    tenantName: known === null ? tenantNameProblem(tenantName) : null,
    issuer: issuerProblem(issuer),
    fullName: fullNameProblem(fullName),
    email: emailProblem(email),
    password: passwordProblem(password, rules),
  };
  return Object.entries(found).flatMap(([field, problem]) =>
    problem === null ? [] : [{ field: field as FactProblem['field'], problem }],
  );
}

function tenantNameProblem(name: string): string | null {
  // What cannot be seen is no name, of a tenant as of a member.
  return fullNameProblem(name) === 'missing' ? 'missing' : textProblem(name, brandNameLength);
}

function issuerProblem(text: string): string | null {
  if (text.trim() === '') return 'missing';
  return readIssuer(text) === null ? 'malformed' : null;
}

function tenantOf({ tenantName, issuer }: FirstAdminFacts, { random, now }: FirstAdminDeps): Tenant {
  const read = readIssuer(issuer);
  if (read === null) throw new Error('the address of the first tenant was not checked');
  return { ...plainTenant, ...read, id: random.id(now), name: tenantName.trim() };
}

/** What is wrong with a setting that names the first administrator. */
const problemTexts: Readonly<Record<string, string>> = {
  'email taken': 'MEMBERDOOR_ADMIN_EMAIL is the address of a member who is no administrator.',
  'password short':
    'MEMBERDOOR_ADMIN_PASSWORD has too few characters: 12 are needed, or what the tenant sets.',
  'password long': 'MEMBERDOOR_ADMIN_PASSWORD has more than 1,024 bytes.',
  'password common': 'MEMBERDOOR_ADMIN_PASSWORD is too easy to guess. Add another word or two.',
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
  config: Pick<ServiceConfig, 'environment' | 'issuer' | 'firstAdmin' | 'port'>,
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
