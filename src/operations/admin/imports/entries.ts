// Takes lines of a file in: what each says is judged beside what is there, and written where it is sound.

import { takenHash } from '../../../core/hashes/hash-problem.ts';
import type { HashWork } from '../../../core/hashes/hash-work.ts';
import type { ImportedMember } from '../../../core/import/entry.ts';
import { asCalled, type NamedRecord } from '../../../core/import/fields.ts';
import type { ImportCounts, ImportOptions, RefusedLine } from '../../../core/import/import.ts';
import { blankMember, isGone, type Member, normaliseEmail } from '../../../core/members/member.ts';
import { type Problem, problem } from '../../../core/problem.ts';
import { listConsents } from '../../../storage/access/consent.ts';
import { listPackages } from '../../../storage/access/package.ts';
import { listCustomProperties, nextSubscriptionId } from '../../../storage/access/subscription.ts';
import { nextMemberNumbers } from '../../../storage/members/member.ts';
import { mostPasswordWork } from '../../../storage/members/password-work.ts';
import { listProviders } from '../../../storage/providers/identity-provider.ts';
import { languages } from '../../../text/language.ts';
import { deleteMember } from '../../member/member.ts';
import { OperationRefused } from '../../refusal.ts';
import { takeMail } from '../members/mails.ts';
import { type MemberInput, withDetails } from '../members/member.ts';
import { accountsOf, answersOf, leftOf, type Offered, pastTime, refuse, subscriptionsOf } from './besides.ts';
import { accountKey, isMemberNumber, type Known, keepKnown, knownOf } from './known.ts';
import { type Addition, addMembers, type Context, changeMember } from './writing.ts';

/** A line that was read, with the hash as it is kept; slow ones are made before the transaction. */
export interface PreparedEntry {
  readonly line: number;
  readonly read:
    | { readonly ok: true; readonly member: ImportedMember; readonly hash: string | null }
    | { readonly ok: false; readonly problems: readonly Problem[] };
  /** As its file has it; left out where it is of no file, or could not be read as an object. */
  readonly named?: NamedRecord;
}

/** What came of a line, or would. */
export interface LineOutcome {
  readonly line: number;
  readonly outcome: 'added' | 'changed' | 'skipped' | 'refused';
  readonly email: string | null;
  readonly problems: readonly Problem[];
  /** The providers of accounts that were left out, since the tenant has no such provider. */
  readonly left: readonly string[];
  /** Whether the member was mailed an invitation. */
  readonly isInvited: boolean;
}

/** The things of a tenant that lines name, read once for all lines of a piece. */
interface Surroundings extends Offered {
  readonly known: Known;
  /** Members who were judged and are still to be written. */
  readonly waiting: Addition[];
  work: HashWork;
  numbers: { userId: number; memberNumber: number };
  subscriptionId: number;
}

/** What is done with lines. */
type Taking = Pick<ImportOptions, 'existing' | 'mail' | 'slowHashes'>;

/**
 * Takes lines in, each whole or not at all. A line that adds a member is written with the others of its batch, which were
 * all judged by then.
 *
 * @returns what came of each, in their order
 */
export async function importEntries(
  context: Context,
  { options }: { readonly options: Taking },
  entries: readonly PreparedEntry[],
): Promise<readonly LineOutcome[]> {
  const around = await surroundingsOf(context, entries);
  const outcomes: LineOutcome[] = [];
  for (const { line, read, named } of entries) {
    const email = read.ok ? read.member.email : null;
    try {
      if (!read.ok) throw new OperationRefused('invalid', read.problems);
      const { outcome, isInvited } = await importOne(context, options, around, read.member, read.hash);
      const left = outcome === 'added' ? leftOf(read.member, around) : [];
      outcomes.push({ line, outcome, email, problems: [], left, isInvited });
    } catch (error) {
      // Everything is judged before the first of it is written, so nothing of the line is there.
      if (!(error instanceof OperationRefused)) throw error;
      const problems = named === undefined ? error.problems : asCalled(error.problems, named);
      outcomes.push({ line, outcome: 'refused', email, problems, left: [], isInvited: false });
    }
  }
  await addWaiting(context, around);
  return outcomes;
}

async function surroundingsOf(
  { tx, tenant: { id } }: Context,
  entries: readonly PreparedEntry[],
): Promise<Surroundings> {
  const providers = await listProviders(tx, id);
  const given = entries.flatMap(({ read }) => (read.ok ? [read.member] : []));
  return {
    packages: await listPackages(tx, id),
    properties: await listCustomProperties(tx, id),
    consents: await listConsents(tx, id),
    providers,
    known: await knownOf(tx, id, given, providers),
    waiting: [],
    work: await mostPasswordWork(tx, id),
    numbers: await nextMemberNumbers(tx, id),
    subscriptionId: await nextSubscriptionId(tx),
  };
}

async function addWaiting(context: Context, around: Surroundings): Promise<void> {
  const added = around.waiting.splice(0);
  if (added.length > 0) await addMembers(context, around, added);
}

/** How many lines had each outcome. */
export function countsOf(outcomes: readonly LineOutcome[]): ImportCounts {
  const count = (name: LineOutcome['outcome']) => outcomes.filter(({ outcome }) => outcome === name).length;
  return {
    added: count('added'),
    changed: count('changed'),
    skipped: count('skipped'),
    refused: count('refused'),
  };
}

/** How many of the new members were mailed an invitation. */
export const invitedOf = (outcomes: readonly LineOutcome[]): number =>
  outcomes.filter(({ isInvited }) => isInvited).length;

/** The lines that were refused, as they are kept: what is wrong, and nothing of what they say. */
export const refusedOf = (outcomes: readonly LineOutcome[]): readonly RefusedLine[] =>
  outcomes.filter(({ outcome }) => outcome === 'refused').map(({ line, problems }) => ({ line, problems }));

async function importOne(
  context: Context,
  options: Taking,
  around: Surroundings,
  given: ImportedMember,
  hash: string | null,
): Promise<{ readonly outcome: 'added' | 'changed' | 'skipped'; readonly isInvited: boolean }> {
  const { tx, tenant, now } = context;
  const { members } = around.known;
  const address = normaliseEmail(given.email);
  const found = members.get(address) ?? null;
  const known = found === null || isGone(found, now) ? null : found;
  if (known !== null && options.existing === 'skip') return { outcome: 'skipped', isInvited: false };
  if (known !== null && known.userType !== 'member') refuse(problem('email', 'import_of_admin'));
  const createdAt = pastTime(given.createdAt, ['createdAt'], now) ?? now;
  const begun = known ?? { ...blankMember(tenant.id, now), createdAt };
  const member = withDetails(begun, detailsOf(given, known), now);
  const beside = {
    gives: subscriptionsOf(given, around, context),
    answers: answersOf(given, around, context),
  };
  demandFreeName(member, around.known);
  if (known !== null) {
    await addWaiting(context, around);
    const outcome = await changeMember(context, around, known, member, beside);
    keepKnown(around.known, known, member);
    return { outcome, isInvited: false };
  }
  const accounts = accountsOf(given, around, around.known);
  const numbers = numbersOf(given, around);
  const work = hash === null ? null : takenHash(around.work, hash, options.slowHashes, ['passwordHash']);
  if (work?.ok === false) refuse(work.problem);
  // From here on nothing is refused any more.
  if (found !== null) await deleteMember(tx, tenant.id, found.id, now);
  if (work?.ok === true) around.work = work.work;
  const status = given.isDisabled === true ? 'disabled' : 'active';
  const added: Member = { ...member, ...numbers, id: context.random.id(now), status };
  around.numbers = {
    userId: around.numbers.userId + 1,
    memberNumber: Math.max(around.numbers.memberNumber, numbers.memberNumber + 1),
  };
  keepKnown(around.known, null, added);
  for (const account of accounts) around.known.accounts.add(accountKey(account));
  const mayInvite = options.mail && hash === null && status === 'active';
  // Who was mailed too often lately comes in without an invitation.
  const isInvited = mayInvite && (await takeMail(context, added.email)) === null;
  around.waiting.push({
    member: added,
    passwordHash: hash ?? noPassword(context),
    passwordSince: hash === null ? null : 0,
    ...beside,
    accounts,
    isInvited,
  });
  return { outcome: 'added', isInvited };
}

/** No two members share the id of another system. @throws OperationRefused */
function demandFreeName({ id, externalId }: Member, { externalIds }: Known): void {
  const holder = externalId === null ? undefined : externalIds.get(externalId);
  if (holder !== undefined && holder !== id) refuse(problem('externalId', 'external_id_taken'));
}

/** A hash that no password is known for: its tag is by chance, so it needs no work to be made. */
function noPassword({ passwords, random }: Context): string {
  return passwords.ofNoPassword(random.secret());
}

/** What a line says of the member's own; of one who is there, it takes no proof away. */
function detailsOf(given: ImportedMember, known: Member | null): MemberInput {
  const [local = ''] = given.email.split('@');
  const fullName = given.fullName ?? (known === null ? local : undefined);
  const language = languages.find(
    (one) => one === given.language || one === given.language?.split(/[-_]/)[0],
  );
  const isSameNumber = given.phone === undefined || known === null;
  const said = {
    fullName,
    email: known === null ? given.email : undefined,
    nickName: given.nickName,
    phone: given.phone,
    avatar: given.avatar,
    language,
    externalId: given.externalId,
    address: given.address === undefined ? undefined : { ...known?.address, ...given.address },
    emailVerified: given.emailVerified === true ? true : undefined,
    phoneVerified:
      given.phoneVerified === true && (given.phone !== undefined || !isSameNumber) ? true : undefined,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as MemberInput;
}

function numbersOf(
  { memberNumber }: ImportedMember,
  { numbers, known }: Surroundings,
): Surroundings['numbers'] {
  if (memberNumber === undefined) return numbers;
  if (!isMemberNumber(memberNumber))
    refuse(problem('memberNumber', 'out_of_range', { least: 1, most: 1_000_000_000 }));
  if (known.memberNumbers.has(memberNumber)) {
    refuse(problem('memberNumber', 'number_of_another', { name: 'memberNumber' }));
  }
  return { ...numbers, memberNumber };
}
