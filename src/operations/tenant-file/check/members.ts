// Checks the members in a tenant file.
import { propertyProblems } from '../../../core/access/custom-property.ts';
import { takenHash } from '../../../core/hashes/hash-problem.ts';
import type { HashWork } from '../../../core/hashes/hash-work.ts';
import { blankMember, type Member, normaliseEmail } from '../../../core/members/member.ts';
import { tenantFile } from '../../../core/operators/limits.ts';
import { type Path, type Problem, problem, within } from '../../../core/problem.ts';
import { isHashable } from '../../../secrets/password.ts';
import { withDetails } from '../../admin/members/member.ts';
import { OperationRefused } from '../../refusal.ts';
import type { FileMember, FileSubscription } from '../tenant-file.ts';
import type { Named } from './access.ts';
import { type Checking, entriesAt, type Found, tellTwice, tellUnknown } from './checking.ts';

/** Checks the members of a tenant and what they have subscribed to. */
export function checkMembers(checking: Checking, path: Path, named: Named, isDevelopment: boolean): void {
  const entries = entriesAt<FileMember>(checking, path) ?? [];
  let work: HashWork = {};
  for (const { at, entry } of entries) {
    checking.tell(at, ...detailProblems(entry), ...passwordProblems(entry, isDevelopment));
    if (entry.passwordHash !== undefined) {
      const taken = takenHash(work, entry.passwordHash, false, ['passwordHash']);
      if (taken.ok) work = taken.work;
      else checking.tell(at, taken.problem);
    }
    const subscriptions = entriesAt<FileSubscription>(checking, [...at, 'subscriptions']) ?? [];
    for (const subscription of subscriptions) checkSubscription(checking, subscription, named);
  }
  const { members: most } = tenantFile;
  if (entries.length > most) {
    checking.tell(path, problem([], 'too_many_members', { count: entries.length, most }));
  }
  for (const name of ['id', 'userId', 'memberNumber'] as const) {
    tellTwice(checking, `member of the ${name}`, entries, (member) => member[name]);
  }
  tellTwice(checking, 'member', entries, ({ email }) =>
    email === undefined ? undefined : normaliseEmail(email),
  );
}

/** Has all that a member needs, so that only the details of a file can be refused. */
const sampleMember: Member = { ...blankMember('', 0), email: 'member@example.com', fullName: 'Member' };

function detailProblems(member: Partial<FileMember>): readonly Problem[] {
  try {
    withDetails(sampleMember, member, 0);
    return [];
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    return error.problems;
  }
}

function passwordProblems(
  { password, passwordHash }: Partial<FileMember>,
  isDevelopment: boolean,
): readonly Problem[] {
  const inClear = isDevelopment ? 'not_a_password' : 'password_in_clear';
  const isFit = password === undefined || (isDevelopment && isHashable(password));
  return [
    ...(isFit ? [] : [problem('password', inClear)]),
    ...(passwordHash === undefined || password === undefined
      ? []
      : [problem('passwordHash', 'password_twice')]),
  ];
}

function checkSubscription(
  checking: Checking,
  { at, entry }: Found<FileSubscription>,
  { packages, properties }: Named,
): void {
  const { package: name, properties: values } = entry;
  if (name !== undefined) tellUnknown(checking, [...at, 'package'], name, packages, 'package');
  if (values !== undefined && properties !== null) {
    checking.tell(at, ...within(['properties'], propertyProblems(values, properties)));
  }
  checking.tell(at, ...timeProblems(entry));
}

/** The times of a subscription must be able to have come one after the other. */
function timeProblems(subscription: Partial<FileSubscription>): readonly Problem[] {
  const { activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  const [begins, ends, cancelled, ended] = [activatedAt, expiresAt, cancelledAt, endedAt].map(timeOf);
  const isBehind = (time: number | undefined) => time !== undefined && ends !== undefined && time >= ends;
  const isBefore = (time: number | undefined, other: number | undefined) =>
    time !== undefined && other !== undefined && time < other;
  const isCancelled = cancelled !== undefined;
  return [
    activatedAt === null && ends !== undefined && problem('expiresAt', 'waits_and_ends'),
    begins !== undefined && expiresAt === null && problem('expiresAt', 'begins_without_end'),
    isBehind(begins) && problem('expiresAt', 'ends_too_early'),
    isBehind(cancelled) && problem('cancelledAt', 'over_already'),
    isBehind(ended) && problem('endedAt', 'over_already'),
    isCancelled && activatedAt === null && problem('cancelledAt', 'waits_and_cancelled'),
    isBefore(cancelled, begins) && problem('cancelledAt', 'cancelled_too_early'),
    isBefore(ended, cancelled) && problem('endedAt', 'ended_too_early'),
  ].filter((one) => one !== false);
}

const timeOf = (written: string | null | undefined) =>
  typeof written === 'string' ? Date.parse(written) : undefined;
