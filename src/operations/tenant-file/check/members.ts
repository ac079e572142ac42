import { propertyProblems } from '../../../core/access/custom-property.ts';
import { blankMember, type Member, normaliseEmail } from '../../../core/members/member.ts';
import { foreignHash, tenantFile } from '../../../core/operators/limits.ts';
import { isHashable } from '../../../secrets/password.ts';
import { withDetails } from '../../admin/members/member-details.ts';
import { OperationRefused } from '../../refusal.ts';
import type { Path } from '../source.ts';
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
    checking.problem(
      at,
      `${entries.length} members are more than ${tenantFile.members}: they move with a backup`,
    );
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
  const problem = (name: string, text: string) => checking.problem([...at, name], text);
  if (password !== undefined) {
    if (!isDevelopment) {
      problem(
        'password',
        'a password stands here in clear, which a development tenant alone may have: ' +
          'take it away, and give passwordHash, or let the member choose one',
      );
    } else if (!isHashable(password)) problem('password', 'this can be no password');
  }
  if (passwordHash === undefined) return;
  if (password !== undefined) problem('passwordHash', 'password and passwordHash stand here both');
  const hashProblem = passwordHashProblem(passwordHash);
  if (hashProblem !== null) problem('passwordHash', hashProblem);
}

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

/** What is wrong with a password hash that was made elsewhere, or null; one that is weak is made anew at sign-in. */
function passwordHashProblem(hash: string): string | null {
  const [whole, memory, passes, parallelism] = phc.exec(hash)?.map(Number) ?? [];
  if (whole === undefined || memory === undefined || passes === undefined || parallelism === undefined) {
    return 'this is no argon2id hash as a PHC string: $argon2id$v=19$m=…,t=…,p=…$salt$tag';
  }
  const { memoryKib: most, passes: mostPasses, parallelism: mostLanes } = foreignHash;
  const isWithin = (value: number, least: number, limit: number) => value >= least && value <= limit;
  return isWithin(parallelism, 1, mostLanes) &&
    isWithin(passes, 1, mostPasses) &&
    isWithin(memory, 8 * parallelism, most)
    ? null
    : `each sign-in would cost too much, or nothing: m is 8 times p to ${most}, t 1 to ${mostPasses}, ` +
        `p 1 to ${mostLanes}`;
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
  const ends = expiresAt === undefined || expiresAt === null ? null : Date.parse(expiresAt);
  if (activatedAt === null && ends !== null) {
    checking.problem([...at, 'expiresAt'], 'what waits for a payment does not end: activatedAt is null');
  }
  if (typeof activatedAt === 'string' && expiresAt === null) {
    checking.problem([...at, 'expiresAt'], 'what has begun ends once: give a time, or leave expiresAt out');
  }
  if (typeof activatedAt === 'string' && ends !== null && Date.parse(activatedAt) >= ends) {
    checking.problem([...at, 'expiresAt'], 'it ends before it begins');
  }
  for (const [name, text] of Object.entries({ cancelledAt, endedAt })) {
    if (typeof text === 'string' && ends !== null && Date.parse(text) >= ends) {
      checking.problem([...at, name], `${name} is behind expiresAt, when it was over already`);
    }
  }
  if (typeof cancelledAt !== 'string') return;
  if (activatedAt === null) {
    checking.problem(
      [...at, 'cancelledAt'],
      'what waits for a payment has no renewal to cancel: give endedAt',
    );
  } else if (typeof activatedAt === 'string' && Date.parse(cancelledAt) < Date.parse(activatedAt)) {
    checking.problem([...at, 'cancelledAt'], 'cancelledAt is before it begins: give endedAt');
  }
  if (typeof endedAt === 'string' && Date.parse(endedAt) < Date.parse(cancelledAt)) {
    checking.problem([...at, 'endedAt'], 'it ended before it was cancelled');
  }
}
