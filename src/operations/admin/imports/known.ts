// What is there of the members that a batch of lines speaks of: asked of all lines at once, and kept while they are taken in,
// since each question is a message where the database is another process.
import { type FoundAccount, foundAccount } from '../../../core/import/accounts.ts';
import type { ImportedMember } from '../../../core/import/entry.ts';
import { type Member, normaliseEmail } from '../../../core/members/member.ts';
import type { IdentityProvider } from '../../../core/providers/identity-provider.ts';
import { findMembersByEmail, listTaken, listTakenSubjects } from '../../../storage/imports/known.ts';
import type { Tx } from '../../../storage/store.ts';

/** As the last line has left it, though not all of it may be written yet. */
export interface Known {
  /** By the address as it is compared. */
  readonly members: Map<string, Member>;
  /** Whose each is. */
  readonly externalIds: Map<string, string>;
  readonly memberNumbers: Set<number>;
  /** Each by `accountKey`. */
  readonly accounts: Set<string>;
}

/** Whether it can be one: no other is asked for. */
export const isMemberNumber = (value: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= 1_000_000_000;

export const accountKey = ({ key, issuer, subject }: FoundAccount) => JSON.stringify([key, issuer, subject]);

export async function knownOf(
  tx: Tx,
  tenantId: string,
  given: readonly ImportedMember[],
  providers: readonly IdentityProvider[],
): Promise<Known> {
  const all = <Value>(of: (one: ImportedMember) => Value | undefined): readonly Value[] => [
    ...new Set(given.map(of).filter((value) => value !== undefined)),
  ];
  const members = await findMembersByEmail(
    tx,
    tenantId,
    all(({ email }) => normaliseEmail(email)),
  );
  const externalIds = await listTaken(
    tx,
    tenantId,
    'externalId',
    all(({ externalId }) => externalId),
  );
  const numbers = all(({ memberNumber }) => memberNumber).filter(isMemberNumber);
  const memberNumbers = await listTaken(tx, tenantId, 'memberNumber', numbers);
  return {
    members: new Map(members.map((member) => [normaliseEmail(member.email), member])),
    externalIds: new Map(externalIds),
    memberNumbers: new Set(memberNumbers.keys()),
    accounts: await linkedOf(tx, tenantId, given, providers),
  };
}

/** Keeps what a line has made of a member. @param before null of one who is new */
export function keepKnown(known: Known, before: Member | null, after: Member): void {
  known.members.set(normaliseEmail(after.email), after);
  if (before !== null && before.externalId !== null) known.externalIds.delete(before.externalId);
  if (after.externalId !== null) known.externalIds.set(after.externalId, after.id);
  known.memberNumbers.add(after.memberNumber);
}

async function linkedOf(
  tx: Tx,
  tenantId: string,
  given: readonly ImportedMember[],
  providers: readonly IdentityProvider[],
): Promise<Set<string>> {
  const found = given.flatMap(({ accounts }) =>
    accounts.map((one) => foundAccount(one, providers)).filter((one) => one !== null),
  );
  const linked = new Set<string>();
  const byIssuer = Map.groupBy(found, ({ key, issuer }) => JSON.stringify([key, issuer]));
  for (const [first, ...others] of byIssuer.values()) {
    if (first === undefined) continue;
    const { key, issuer } = first;
    const subjects = [...new Set([first, ...others].map(({ subject }) => subject))];
    for (const subject of await listTakenSubjects(tx, { tenantId, provider: key, issuer }, subjects)) {
      linked.add(accountKey({ key, issuer, subject }));
    }
  }
  return linked;
}
