// Plans the members of a tenant, and what they have subscribed to. None is missing from a file: members come by themselves.
import type { MemberSubscription } from '../../../core/access/subscription.ts';
import { isGone, type Member } from '../../../core/members/member.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import { findMemberByEmail, type MemberWithPassword } from '../../../storage/members/member.ts';
import { numbersOf } from '../../admin/load.ts';
import { demandManage } from '../../admin/members/manage.ts';
import { withDetails } from '../../admin/members/member-details.ts';
import { describeMember, describeSubscription } from '../describe.ts';
import { fieldChanges } from '../difference.ts';
import { heldOf } from '../stored.ts';
import type { Facts, FileMember, FileSubscription } from '../tenant-file.ts';
import { call, type Entry, entriesOf, type PlannedCall, type Planning, type Target } from './entry.ts';

export async function planMembers(planning: Planning, target: Target): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const { member, at } of numberedFirst(target)) {
    demandManage(planning.actor, member.userType ?? 'member');
    const known = await knownMember(planning, target, member);
    entries.push(
      ...(known === null
        ? newMember(planning, target, at, member)
        : await sameMember(planning, target, at, member, known)),
    );
  }
  return entries;
}

/** Members with numbers of their own come before those who are given the next ones. */
function numberedFirst({ file: { members = [] }, at }: Target) {
  const entries = members.map((member, index) => ({ member, at: [...at, 'members', index] }));
  const hasNumber = ({ member }: (typeof entries)[number]) =>
    member.userId !== undefined || member.memberNumber !== undefined;
  return [...entries.filter(hasNumber), ...entries.filter((entry) => !hasNumber(entry))];
}

async function knownMember(
  { tx, now }: Planning,
  { tenant, isNew }: Target,
  { email }: FileMember,
): Promise<MemberWithPassword | null> {
  const known = isNew ? null : await findMemberByEmail(tx, tenant.id, email);
  return known === null || isGone(known.member, now) ? null : known;
}

function newMember(
  { passwordHashOf }: Planning,
  target: Target,
  at: Path,
  given: FileMember,
): readonly Entry[] {
  const { password, passwordHash = passwordHashOf(password), subscriptions = [], ...facts } = given;
  const { email } = facts;
  return [
    entriesOf(target, 'member').added(email, at, {
      ...call('members.load', { ...facts, passwordHash }),
      makes: ['member', email],
    }),
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
  const next: Member = {
    ...withDetails(member, details, now),
    userType,
    status: disabled ? 'disabled' : 'active',
  };
  const describe = (one: Member): Facts => ({ ...describeMember({ ...known, member: one }, []) });
  const fields = fieldChanges(describe(member), describe(next));
  if (fields.length === 0) return [];
  const { id: memberId } = member;
  const calls: readonly PlannedCall[] = [
    ...(fields.some(({ field }) => field !== 'disabled')
      ? [call('members.change', { ...details, memberId, userType })]
      : []),
    ...(next.status === member.status
      ? []
      : [call(disabled ? 'members.disable' : 'members.enable', { memberId })]),
  ];
  return [entriesOf(target, 'member').changed(given.email, at, fields, ...calls)];
}

/** Of a member who is there, the address is the name, and stays as it is written; what is given once stays too. */
function detailsOf(given: FileMember): Facts {
  const { fullName, nickName, phone, avatar, language, address, emailVerified, phoneVerified } = given;
  const details = { fullName, nickName, phone, avatar, language, address, emailVerified, phoneVerified };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/** What is there keeps its times, and none of it is taken away. */
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
    const fields = fieldChanges(
      { ...describeSubscription(known) },
      properties === undefined ? {} : { properties },
    );
    if (fields.length === 0) return [];
    const { subscriptionId, customPropertyValues } = known;
    const values = { ...customPropertyValues, ...properties };
    const set = call('subscriptions.setProperties', { subscriptionId, values });
    return [entriesOf(target, 'subscription').changed(nameOf(given, email), path, fields, set)];
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
  return entriesOf(target, 'subscription').added(nameOf(given, email), at, {
    operation: 'subscriptions.load',
    input: (ids) => ({
      ...times,
      memberId: ids.of(['member', email], []),
      packageId: ids.of(['package', name], ['package']),
      customPropertyValues,
    }),
  });
}
