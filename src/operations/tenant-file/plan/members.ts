// Plans the members of a tenant, and what they have subscribed to. None is missing from a file: members come by themselves.
import type { MemberSubscription } from '../../../core/access/subscription.ts';
import { isGone, type Member } from '../../../core/members/member.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import { findMemberByEmail, type MemberWithPassword } from '../../../storage/members/member.ts';
import { demandManage, type MemberInput, withDetails } from '../../admin/members/member.ts';
import { numbersOf } from '../../admin/tenants/load.ts';
import { fieldChanges } from '../../field-changes.ts';
import { describeMember, describeSubscription, heldOf } from '../export.ts';
import type { FileMember, FileSubscription } from '../tenant-file.ts';
import { call, type Entry, entryOf, type Planning, type Target } from './entry.ts';

export async function planMembers(planning: Planning, target: Target): Promise<readonly Entry[]> {
  const { tx, now, actor } = planning;
  const { tenant, prepared } = target;
  const entries: Entry[] = [];
  for (const { member, at } of numberedFirst(target)) {
    demandManage(actor, member.userType ?? 'member');
    const known = prepared ? null : await findMemberByEmail(tx, tenant.id, member.email);
    entries.push(
      ...(known === null || isGone(known.member, now)
        ? newMember(planning, target, at, member)
        : await sameMember(planning, target, at, member, known)),
    );
  }
  return entries;
}

/** Members with numbers of their own come before those who are given the next ones. */
function numberedFirst({ file: { members = [] }, at }: Target) {
  const entries = members.map((member, index) => ({ member, at: [...at, 'members', index] }));
  const { true: numbered = [], false: others = [] } = Object.groupBy(entries, ({ member }) =>
    String(member.userId !== undefined || member.memberNumber !== undefined),
  );
  return [...numbered, ...others];
}

function newMember(
  { passwordHashOf }: Planning,
  target: Target,
  at: Path,
  given: FileMember,
): readonly Entry[] {
  const { password, passwordHash = passwordHashOf(password), subscriptions = [], ...facts } = given;
  const { email } = facts;
  const load = { ...call('members.load', { ...facts, passwordHash }), makes: ['member', email] } as const;
  return [
    entryOf(target, 'member', { name: email, change: 'added' }, at, [load]),
    ...subscriptions.map((one, index) =>
      newSubscription(target, [...at, 'subscriptions', index], email, one),
    ),
  ];
}

async function sameMember(
  { tx, now, actor, tell }: Planning,
  target: Target,
  at: Path,
  given: FileMember,
  known: MemberWithPassword,
): Promise<readonly Entry[]> {
  const { member } = known;
  demandManage(actor, member.userType);
  for (const [name, value] of Object.entries(numbersOf(given))) {
    if (value === member[name as keyof Member]) continue;
    tell(problem([...at, name], 'number_fixed', { name }));
  }
  target.ids.set(['member', given.email], member.id);
  const held = heldOf(await listSubscriptions(tx, member.id), target.stored);
  return [...alteredMember(target, at, given, known, now), ...subscriptionsOf(target, at, given, held)];
}

function alteredMember(
  target: Target,
  at: Path,
  given: FileMember,
  known: MemberWithPassword,
  now: number,
): readonly Entry[] {
  const { member } = known;
  const { userType = member.userType, disabled = member.status === 'disabled' } = given;
  const details = detailsOf(given);
  const status = disabled ? 'disabled' : 'active';
  const next: Member = { ...withDetails(member, details, now), userType, status };
  const describe = (one: Member) => describeMember({ ...known, member: one }, []);
  const fields = fieldChanges(describe(member), describe(next));
  if (fields.length === 0) return [];
  const { id: memberId } = member;
  const calls = [
    ...(fields.some(({ field }) => field !== 'disabled')
      ? [call('members.change', { ...details, memberId, userType })]
      : []),
    ...(status === member.status
      ? []
      : [call(disabled ? 'members.disable' : 'members.enable', { memberId })]),
  ];
  return [entryOf(target, 'member', { name: given.email, change: 'changed', fields }, at, calls)];
}

/** A member who is there keeps the address as it is written, since it names the member, and what is given once. */
function detailsOf(given: FileMember): MemberInput {
  const { fullName, nickName, phone, avatar, language, externalId, address, ...proven } = given;
  const { emailVerified, phoneVerified } = proven;
  const named = { fullName, nickName, phone, avatar, language, externalId, address };
  const details = { ...named, emailVerified, phoneVerified };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/** Subscriptions that are there keep their times, and none is taken away. */
function subscriptionsOf(
  target: Target,
  at: Path,
  { email, subscriptions = [] }: FileMember,
  held: readonly MemberSubscription[],
): readonly Entry[] {
  const left = [...held];
  return subscriptions.flatMap((given, index) => {
    const path: Path = [...at, 'subscriptions', index];
    const known = left.find((one) => isSame(one, given));
    if (known === undefined) return [newSubscription(target, path, email, given)];
    left.splice(left.indexOf(known), 1);
    const { properties } = given;
    const fields = fieldChanges(describeSubscription(known), { properties });
    if (fields.length === 0) return [];
    const { subscriptionId, customPropertyValues } = known;
    const values = { ...customPropertyValues, ...properties };
    const calls = [call('subscriptions.setProperties', { subscriptionId, values })];
    const name = nameOf(given, email);
    return [entryOf(target, 'subscription', { name, change: 'changed', fields }, path, calls)];
  });
}

const nameOf = ({ package: name }: FileSubscription, email: string) => `${name} of ${email}`;

/** When it was made says which it is, since renewals leave that alone; else when it began; else its package. */
function isSame(known: MemberSubscription, given: FileSubscription): boolean {
  if (known.packageName !== given.package) return false;
  if (given.createdAt !== undefined) return known.createdAt === Date.parse(given.createdAt);
  if (given.activatedAt === undefined) return true;
  return known.activatedAt === (given.activatedAt === null ? null : Date.parse(given.activatedAt));
}

function newSubscription(target: Target, at: Path, email: string, given: FileSubscription): Entry {
  const { package: name, properties: customPropertyValues = {}, ...times } = given;
  const load = {
    operation: 'subscriptions.load',
    input: (ids: Target['ids']) => ({
      ...times,
      memberId: ids.of(['member', email], []),
      packageId: ids.of(['package', name], ['package']),
      customPropertyValues,
    }),
  };
  return entryOf(target, 'subscription', { name: nameOf(given, email), change: 'added' }, at, [load]);
}
