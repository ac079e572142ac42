// Checks the members in a tenant file.
import { propertyProblems } from '../../../core/access/custom-property.ts';
import { blankMember, type Member, normaliseEmail } from '../../../core/members/member.ts';
import { foreignHash, tenantFile } from '../../../core/operators/limits.ts';
import { type Path, type Problem, problem } from '../../../core/problem.ts';
import { isHashable } from '../../../secrets/password.ts';
import { withDetails } from '../../admin/members/member-details.ts';
import { OperationRefused } from '../../refusal.ts';
import type { FileMember, FileSubscription } from '../tenant-file.ts';
import type { Named } from './access.ts';
import { type Checking, entriesAt, soundPart, tellProblems, tellTwice, tellUnknown } from './checking.ts';

/** Checks the members of a tenant and what they have subscribed to. */
export function checkMembers(
  checking: Checking,
  at: Path,
  value: unknown,
  named: Named,
  isDevelopment: boolean,
): void {
  const entries = entriesAt(at, value).map((one) => {
    const member = soundPart<FileMember>(checking, one.at, one.value);
    checkDetails(checking, one.at, member);
    checkPassword(checking, one.at, member, isDevelopment);
    const { subscriptions } = (one.value ?? {}) as { readonly subscriptions?: unknown };
    for (const entry of entriesAt([...one.at, 'subscriptions'], subscriptions)) {
      checkSubscription(checking, entry.at, soundPart(checking, entry.at, entry.value), named);
    }
    return { at: one.at, member };
  });
  if (entries.length > tenantFile.members) {
    const { members: most } = tenantFile;
    checking.tell(problem(at, 'too_many_members', { count: entries.length, most }));
  }
  for (const name of ['id', 'userId', 'memberNumber'] as const) {
    const numbers = entries.map(({ at: path, member }) => ({ at: path, name: member[name]?.toString() }));
    tellTwice(checking, numbers, `member of the ${name}`);
  }
  const emails = entries.map(({ at: path, member: { email } }) => ({
    at: path,
    name: email === undefined ? undefined : normaliseEmail(email),
  }));
  tellTwice(checking, emails, 'member');
}

const nobody: Member = { ...blankMember('', 0), email: 'nobody@example.com', fullName: 'Nobody' };

function checkDetails(checking: Checking, at: Path, member: Partial<FileMember>): void {
  try {
    withDetails(nobody, member, 0);
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    tellProblems(checking, at, error.problems);
  }
}

function checkPassword(
  checking: Checking,
  at: Path,
  { password, passwordHash }: Partial<FileMember>,
  isDevelopment: boolean,
): void {
  const tell = (...found: readonly Problem[]) => tellProblems(checking, at, found);
  if (password !== undefined) {
    if (!isDevelopment) {
      tell(problem('password', 'password_in_clear'));
    } else if (!isHashable(password)) tell(problem('password', 'not_a_password'));
  }
  if (passwordHash === undefined) return;
  if (password !== undefined) tell(problem('passwordHash', 'password_twice'));
  tell(...passwordHashProblems(passwordHash));
}

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

/** What is wrong with a password hash that was made elsewhere; one that is weak is made anew at sign-in. */
function passwordHashProblems(hash: string): readonly Problem[] {
  const [whole, memory, passes, parallelism] = phc.exec(hash)?.map(Number) ?? [];
  if (whole === undefined || memory === undefined || passes === undefined || parallelism === undefined) {
    return [problem('passwordHash', 'not_a_password_hash')];
  }
  const { memoryKib: most, passes: mostPasses, parallelism: mostLanes } = foreignHash;
  const isWithin = (value: number, least: number, limit: number) => value >= least && value <= limit;
  return isWithin(parallelism, 1, mostLanes) &&
    isWithin(passes, 1, mostPasses) &&
    isWithin(memory, 8 * parallelism, most)
    ? []
    : [
        problem('passwordHash', 'hash_out_of_bounds', {
          memory: most,
          passes: mostPasses,
          parallelism: mostLanes,
        }),
      ];
}

function checkSubscription(
  checking: Checking,
  at: Path,
  subscription: Partial<FileSubscription>,
  { packages, properties }: Named,
): void {
  const { package: name, properties: values } = subscription;
  if (name !== undefined) tellUnknown(checking, [...at, 'package'], name, packages, 'package');
  if (values !== undefined && properties !== null) {
    tellProblems(checking, [...at, 'properties'], propertyProblems(values, properties));
  }
  checkTimes(checking, at, subscription);
}

/** Its times must be able to have come one after the other. */
function checkTimes(checking: Checking, at: Path, subscription: Partial<FileSubscription>): void {
  const { activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  const [begins, ends, cancelled, ended] = [activatedAt, expiresAt, cancelledAt, endedAt].map(timeOf);
  const isBehind = (time: number | undefined) => time !== undefined && ends !== undefined && time >= ends;
  const isBefore = (time: number | undefined, other: number | undefined) =>
    time !== undefined && other !== undefined && time < other;
  const isCancelled = cancelled !== undefined;
  const found = [
    activatedAt === null && ends !== undefined && problem('expiresAt', 'waits_and_ends'),
    begins !== undefined && expiresAt === null && problem('expiresAt', 'begins_without_end'),
    isBehind(begins) && problem('expiresAt', 'ends_too_early'),
    isBehind(cancelled) && problem('cancelledAt', 'over_already'),
    isBehind(ended) && problem('endedAt', 'over_already'),
    isCancelled && activatedAt === null && problem('cancelledAt', 'waits_and_cancelled'),
    isBefore(cancelled, begins) && problem('cancelledAt', 'cancelled_too_early'),
    isBefore(ended, cancelled) && problem('endedAt', 'ended_too_early'),
  ];
  tellProblems(
    checking,
    at,
    found.filter((one) => one !== false),
  );
}

const timeOf = (written: string | null | undefined) =>
  typeof written === 'string' ? Date.parse(written) : undefined;
