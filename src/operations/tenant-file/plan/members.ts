import { propertyProblems } from '../../../core/access/custom-property.ts';
import { blankMember, isGone, type Member } from '../../../core/members/member.ts';
import { hasAllTenants } from '../../../core/operators/permission.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import {
  findMemberByEmail,
  insertMember,
  type MemberWithPassword,
  nextMemberNumbers,
  updateMember,
  updateUserType,
} from '../../../storage/members/member.ts';
import { takenNumbers } from '../../../storage/members/whole-member.ts';
import { demandManage, demandOther } from '../../admin/members/manage.ts';
import { endAdminSessions } from '../../admin/members/member-changes.ts';
import { withDetails } from '../../admin/members/member-details.ts';
import { deleteMember, disableMember, enableMember } from '../../member/member.ts';
import { problemText } from '../../problem-text.ts';
import { describeMember } from '../describe.ts';
import { fieldChanges } from '../difference.ts';
import type { Path } from '../source.ts';
import { heldOf, type Stored } from '../stored.ts';
import type { FileMember, FileTenant } from '../tenant-file.ts';
import { type Doing, type Planning, type Step, stepsFor, type Target } from './step.ts';
import { type Holder, planSubscriptions } from './subscriptions.ts';

const needs = 'members:write';

/** Plans members and what they have subscribed to. Nobody is missing from a file: members come by themselves. */
export async function planMembers(
  planning: Planning,
  target: Target,
  file: FileTenant,
  stored: Stored,
): Promise<readonly Step[]> {
  const defined = [...stored.properties, ...(file.properties ?? [])];
  const steps: Step[] = [];
  for (const { member, at } of numberedFirst(file.members ?? [], target.at)) {
    demandManage(planning.actor, member.userType ?? 'member');
    for (const [index, { package: name, properties = {} }] of (member.subscriptions ?? []).entries()) {
      const path: Path = [...at, 'subscriptions', index];
      const isKnown = target.packageIds.has(name) || file.packages?.some((one) => one.name === name) === true;
      if (!isKnown) planning.problem([...path, 'package'], `there is no package ${JSON.stringify(name)}`);
      for (const found of propertyProblems(properties, defined))
        planning.problem([...path, 'properties', ...found.path], problemText(found));
    }
    const known = await knownMember(planning, target, member);
    steps.push(
      ...(known === null
        ? await newMember(planning, target, at, member)
        : await sameMember(planning, target, at, member, known, stored)),
    );
  }
  return steps;
}

/** Whoever has a number comes before those who are given the next ones. */
function numberedFirst(members: readonly FileMember[], at: Path) {
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

async function newMember(
  planning: Planning,
  target: Target,
  at: Path,
  given: FileMember,
): Promise<readonly Step[]> {
  const { id: tenantId } = target.tenant;
  const { id, ...numbers } = numbersOf(given);
  // Ids are one row of all tenants: whether another tenant has a member of this one is not for everyone (A17).
  const mayChooseId = hasAllTenants(planning.actor);
  if (id !== undefined && !mayChooseId) {
    planning.problem([...at, 'id'], 'only those who have every tenant choose the id of a new member');
  }
  const chosen = mayChooseId ? numbersOf(given) : numbers;
  for (const name of await takenNumbers(planning.tx, tenantId, chosen)) {
    planning.problem([...at, name], `the ${name} is somebody else’s`);
  }
  const holder: Holder = { id: null, email: given.email, subscriptions: [] };
  const make = async (doing: Doing) => {
    const { tx, now, random } = doing;
    const gone = await findMemberByEmail(tx, tenantId, given.email);
    if (gone !== null) await deleteMember(tx, tenantId, gone.member.id, now);
    const numbers = { ...(await nextMemberNumbers(tx, tenantId)), id: random.id(now), ...numbersOf(given) };
    const member = { ...memberOf(given, tenantId, now), ...numbers };
    await insertMember(tx, member, passwordHashOf(doing, given));
    holder.id = member.id;
    return member.id;
  };
  const { added } = stepsFor(target, 'member', needs);
  const subscriptions = planSubscriptions(target, at, holder, given);
  return [added(given.email, at, make), ...subscriptions];
}

function numbersOf({ id, userId, memberNumber }: FileMember) {
  return {
    ...(id === undefined ? {} : { id }),
    ...(userId === undefined ? {} : { userId }),
    ...(memberNumber === undefined ? {} : { memberNumber }),
  };
}

function memberOf(given: FileMember, tenantId: string, now: number): Member {
  const { userType = 'member', disabled = false, emailVerified = false, phoneVerified = false } = given;
  const beginning: Member = {
    ...blankMember(tenantId, now),
    userType,
    status: disabled ? 'disabled' : 'active',
    createdAt: given.createdAt === undefined ? now : Date.parse(given.createdAt),
  };
  return { ...withDetails(beginning, given, now), emailVerified, phoneVerified };
}

/** Whoever has none in the file has one that nobody knows, until a forgotten one is asked for. */
function passwordHashOf({ passwordHashes }: Doing, { password, passwordHash }: FileMember): string {
  const hash = passwordHash ?? passwordHashes.get(password ?? '');
  if (hash === undefined) throw new Error('the password of a tenant file was not hashed');
  return hash;
}

async function sameMember(
  planning: Planning,
  target: Target,
  at: Path,
  given: FileMember,
  known: MemberWithPassword,
  stored: Stored,
): Promise<readonly Step[]> {
  const { member } = known;
  demandManage(planning.actor, member.userType);
  for (const [name, value] of Object.entries(numbersOf(given))) {
    if (value === member[name as keyof Member]) continue;
    planning.problem([...at, name], `the member of this address has another ${name}, which stays`);
  }
  const held = heldOf(await listSubscriptions(planning.tx, member.id), stored);
  const holder: Holder = { id: member.id, email: member.email, subscriptions: held };
  const subscriptions = planSubscriptions(target, at, holder, given);
  const detailed = withDetails(member, detailsOf(given), planning.now);
  const { disabled = member.status === 'disabled' } = given;
  const next: Member = {
    ...detailed,
    userType: given.userType ?? member.userType,
    emailVerified: given.emailVerified ?? detailed.emailVerified,
    phoneVerified: given.phoneVerified ?? detailed.phoneVerified,
    status: disabled ? 'disabled' : 'active',
  };
  const describe = (one: Member) => ({ ...describeMember({ ...known, member: one }, []) });
  const fields = fieldChanges(describe(member), describe(next));
  if (fields.length === 0) return subscriptions;
  const { changed } = stepsFor(target, 'member', needs);
  return [changed(given.email, at, fields, (doing) => alterMember(doing, member, next)), ...subscriptions];
}

/** Of what is there, the address is the name, and stays as it is written. */
function detailsOf({ fullName, nickName, phone, avatar, language, address }: FileMember) {
  return {
    fullName,
    ...(nickName === undefined ? {} : { nickName }),
    ...(phone === undefined ? {} : { phone }),
    ...(avatar === undefined ? {} : { avatar }),
    ...(language === undefined ? {} : { language }),
    ...(address === undefined ? {} : { address }),
  };
}

async function alterMember({ tx, now, actor }: Doing, member: Member, next: Member): Promise<string> {
  const { id, tenantId } = member;
  await updateMember(tx, next);
  if (next.userType !== member.userType) {
    demandOther(actor, id);
    await updateUserType(tx, next);
    await endAdminSessions(tx, id);
  }
  if (next.status !== member.status) {
    demandOther(actor, id);
    const set = next.status === 'disabled' ? disableMember : enableMember;
    await set(tx, tenantId, id, now);
  }
  return id;
}
