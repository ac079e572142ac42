// Asks the system that a tenant's members come from for one who signs in here first, and takes the member in (decision 55).
import { askedSystem as limits } from '../../core/import/limits.ts';
import {
  type AskedResult,
  afterAsking,
  isResting,
  type OldSystem,
  readAnswer,
  saidBy,
} from '../../core/import/old-system.ts';
import { emailProblem } from '../../core/members/details.ts';
import { isGone } from '../../core/members/member.ts';
import type { Problem } from '../../core/problem.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Vault } from '../../secrets/vault.ts';
import {
  findOldSystem,
  hasMoved,
  insertMovedAddress,
  updateOldSystem,
} from '../../storage/imports/old-system.ts';
import { findMemberByEmail, type MemberWithPassword } from '../../storage/members/member.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';
import type { Random } from '../../system/random.ts';
import type { importEntries, PreparedEntry } from '../admin/imports/entries.ts';
import { auditDeed } from '../audit/audit.ts';
import { signedCall } from '../events/signed-call.ts';
import type { Mailer } from '../mail/mailer.ts';
import { addressHash } from '../member/moved-address.ts';
import { problemLine } from '../problem-text.ts';
import type { OldMembers, Typed } from '../sign-in/credentials.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import type { AskingPlaces } from './asking-places.ts';

export interface AskingDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly random: Random;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly outbound: Outbound;
  readonly mails: Pick<Mailer, 'queue'>;
  readonly pause: (ms: number) => Promise<void>;
  readonly askingPlaces: AskingPlaces;
  /** Is told what came of a question. */
  readonly asked: (result: AskedResult) => void;
}

/** What may be asked now; null where the tenant asks no old system. */
export function oldMembersOf(tenant: OpenTenant, deps: AskingDeps): OldMembers | null {
  const { oldSystemUrl: url } = tenant;
  if (url === null) return null;
  return {
    noMayCome: () => deps.pause(limits.noTakes),
    ask: async (typed) => {
      const { result, ...asked } = await ask({ ...tenant, url }, typed, deps);
      deps.asked(result);
      return asked.found === undefined
        ? { kind: 'no', reason: asked.reason }
        : { kind: 'moved', found: asked.found };
    },
  };
}

type AskedTenant = OpenTenant & { readonly url: string };

interface Outcome {
  readonly result: AskedResult;
  readonly reason: string;
  readonly found?: MemberWithPassword;
}

async function ask(tenant: AskedTenant, typed: Typed, deps: AskingDeps): Promise<Outcome> {
  const unasked = (reason: string): Outcome => ({ result: 'unasked', reason });
  if (emailProblem(typed.email) !== null) return unasked('no account has the address');
  const now = deps.clock();
  const hash = addressHash(tenant, typed.email);
  const { system, isOld } = await deps.store.transaction(async (tx) => ({
    system: await findOldSystem(tx, tenant.id),
    isOld: await hasMoved(tx, tenant.id, hash),
  }));
  if (isOld) return unasked('no account has the address, whose member was here before');
  const secret = system?.secret ?? null;
  if (system === null || secret === null) return unasked('the old system is not asked: it has no secret yet');
  if (isResting(system, now))
    return unasked('the old system is not asked for a while: it failed again and again');
  const leave = deps.askingPlaces.enter(tenant.id, typed.share.address);
  if (leave === null) return unasked('the old system is not asked: too many questions are under way');
  try {
    return await call(tenant, typed, { system, secret }, deps);
  } finally {
    leave();
  }
}

async function call(
  tenant: AskedTenant,
  typed: Typed,
  { system, secret }: { readonly system: OldSystem; readonly secret: Buffer },
  deps: AskingDeps,
): Promise<Outcome> {
  const { clock, random, vault } = deps;
  const [id, email] = [random.id(clock()), typed.email.trim()];
  const body = JSON.stringify({
    type: 'sign_in.asked',
    timestamp: new Date(clock()).toISOString(),
    tenantId: tenant.id,
    data: { email, password: typed.password },
  });
  const secrets = [vault.decrypt(secret, tenant.id).toString()];
  const { url, development } = tenant;
  const answer = await deps.outbound.send({
    ...signedCall({ id, url, secrets, body, development }, clock()),
    accept: 'application/json',
    time: limits.time,
  });
  if (answer.kind === 'failed') return failed(answer.reason === 'busy' ? null : answer.reason);
  const said = saidBy(answer.status);
  if (said === 'failed') return failed(`status ${answer.status}`);
  await wentWell();
  if (said === 'no')
    return { result: 'no', reason: 'neither here nor in the old system address and password are known' };
  return moveIn(tenant, typed, answer.body, deps);

  /** @param failure null where it says nothing of the other side */
  async function failed(failure: string | null): Promise<Outcome> {
    if (failure === null)
      return { result: 'unasked', reason: 'the old system is not asked: too many calls are under way' };
    await keepStanding(failure);
    return { result: 'failed', reason: `the old system did not answer: ${failure}` };
  }

  async function wentWell(): Promise<void> {
    if (system.failedAt !== null) await keepStanding(null);
  }

  function keepStanding(failure: string | null): Promise<void> {
    return deps.store.transaction(async (tx) => {
      const standing = await findOldSystem(tx, tenant.id);
      const after = standing === null ? null : afterAsking(standing, failure, clock());
      if (after !== null) await updateOldSystem(tx, after);
    });
  }
}

/** Takes in a member whom the old system knows, by what takes in the lines of a file. */
async function moveIn(tenant: OpenTenant, typed: Typed, body: string, deps: AskingDeps): Promise<Outcome> {
  const { store, passwords } = deps;
  const read = readAnswer(body, typed.email);
  if (!read.ok) return unusable(read.problems);
  const hash = await passwords.hash(typed.password, typed.share);
  const line: PreparedEntry = { line: 1, read: { ...read, hash } };
  // What reads members who move in is loaded when the first one comes.
  const { importEntries: take } = await import('../admin/imports/entries.ts');
  const { outcome, problems, found } = await store.transaction((tx) =>
    takeIn(tx, tenant, line, typed, { ...deps, take }),
  );
  if (outcome === 'refused') return unusable(problems);
  const isOther = found !== null && outcome === 'skipped';
  // Someone was quicker: what holds is the account that is there.
  const isRight = isOther ? await passwords.verify(typed.password, found.passwordHash, typed.share) : true;
  if (found === null || !isRight)
    return { result: 'no', reason: 'the account was made or deleted meanwhile' };
  return { result: 'yes', reason: '', found };
}

const unusable = (problems: readonly Problem[]): Outcome => ({
  result: 'unusable',
  reason: `the old system answered what cannot be taken in: ${problemLine(problems)}`,
});

async function takeIn(
  tx: Tx,
  tenant: OpenTenant,
  line: PreparedEntry,
  { email }: Typed,
  { clock, random, passwords, mails, take }: AskingDeps & { readonly take: typeof importEntries },
) {
  const now = clock();
  // While the question was under way she may have come, and been deleted.
  const there = await findMemberByEmail(tx, tenant.id, email);
  const hash = addressHash(tenant, email);
  const hasLeft = there === null ? await hasMoved(tx, tenant.id, hash) : isGone(there.member, now);
  if (hasLeft) return { outcome: 'skipped', problems: [], found: null } as const;
  const context = { tx, tenant, now, random, passwords, mails };
  const options = { existing: 'skip', mail: false, slowHashes: false } as const;
  const [{ outcome, problems } = { outcome: 'refused' as const, problems: [] }] = await take(
    context,
    { options },
    [line],
  );
  const found = outcome === 'refused' ? null : await findMemberByEmail(tx, tenant.id, email);
  if (outcome === 'added' && found !== null) {
    const { id } = found.member;
    await insertMovedAddress(tx, tenant.id, hash, now);
    await auditDeed(tx, { event: 'member_moved_in', target: id, memberId: id });
  }
  return { outcome, problems, found };
}
