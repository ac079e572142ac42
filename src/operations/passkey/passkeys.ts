// The passkeys of a member: adds, renames and removes them.

import { lineProblem } from '../../core/members/details.ts';
import { passkeyLimits } from '../../core/members/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { type Passkey, passkeyDomain } from '../../core/members/passkey.ts';
import { isLastWayIn } from '../../core/members/ways-in.ts';
import type { Problem } from '../../core/problem.ts';
import { type Attested, checkAttestation, readAttestation } from '../../secrets/passkey.ts';
import {
  deletePasskey,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  updatePasskey,
} from '../../storage/members/passkey.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { auditDeed } from '../audit/audit.ts';
import type { MemberDeps } from '../email-proof/email-proof.ts';
import { toMember } from '../mail/mailer.ts';
import { listWaysIn } from '../sign-in/ways-in.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { type Challenge, type ChallengeFor, openChallenge, useUpChallenge } from './challenge.ts';

/** What an authenticator told of a new passkey, and what it was asked with. */
export interface NewPasskey {
  readonly kind: 'right';
  readonly attested: Attested;
  readonly challenge: Challenge;
}

type CheckedNewPasskey =
  | NewPasskey
  /** With the words for the audit: of a challenge that was given out, and of none of ours. */
  | { readonly kind: 'wrong'; readonly reason: string }
  | { readonly kind: 'foreign'; readonly reason: string }
  /** The page was open for too long. */
  | { readonly kind: 'stale' };

/** Checks what a page sends of a new passkey, outside of any transaction. */
export async function checkNewPasskey(
  tenant: OpenTenant,
  { text, browser, about }: { readonly text: string; readonly browser: string; readonly about: ChallengeFor },
  now: number,
): Promise<CheckedNewPasskey> {
  const domain = passkeyDomain(tenant);
  const sent = readAttestation(text);
  if (domain === null || sent === null) return { kind: 'foreign', reason: 'it is no passkey' };
  const challenge = openChallenge(tenant, browser, sent.client.challenge, about, now);
  if (challenge === 'stale') return { kind: 'stale' };
  if (challenge === 'foreign') return { kind: 'foreign', reason: 'the challenge is not one of this page' };
  const attested = await checkAttestation(sent, { origin: tenant.issuer, domain });
  if (typeof attested === 'string') return { kind: 'wrong', reason: attested };
  return { kind: 'right', attested, challenge };
}

/** A new passkey, and where it is made. */
export interface Making {
  readonly name: string;
  readonly userAgent: string;
  readonly ipAddress: string;
  /** Where that is and in which language its member is told so. */
  readonly place: string;
  readonly language: string;
}

/**
 * Adds a passkey of a member, and tells her.
 *
 * @returns it, or in words for the audit why not: a passkey is of one member, and no member has too many
 */
export async function addPasskey(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { attested, challenge }: NewPasskey,
  { place, language, ...made }: Making,
  { clock, mails, random }: Pick<MemberDeps, 'clock' | 'mails'> & { readonly random: Pick<Random, 'id'> },
): Promise<Passkey | string> {
  const now = clock();
  if (!(await useUpChallenge(tx, tenant.id, challenge))) return 'the challenge was used before';
  const known = await findPasskeyByCredential(tx, tenant.id, attested.credentialId);
  if (known !== null) return 'a member has this passkey already';
  if ((await listPasskeys(tx, member.id)).length >= passkeyLimits.ofMember) return 'the member has too many';
  const { id: memberId, tenantId } = member;
  const passkey: Passkey = {
    ...attested,
    ...made,
    id: random.id(now),
    tenantId,
    memberId,
    createdAt: now,
    lastUsedAt: null,
  };
  await insertPasskey(tx, passkey);
  await auditDeed(tx, { event: 'passkey_added', memberId, target: passkey.id, reason: passkey.name });
  await mails.queue(tx, tenant, {
    ...toMember(member, language, { passkey: passkey.name, place, time: now }),
    name: 'passkeyAdded',
    link: `${tenant.issuer}/account/passkeys`,
  });
  return passkey;
}

/** Gives a passkey another name. @returns what is wrong with that; null if it is done */
export async function renamePasskey(tx: Tx, passkey: Passkey, name: string): Promise<Problem | null> {
  const wanted = name.trim();
  const problem = lineProblem('name', wanted, passkeyLimits.name);
  if (problem !== null) return problem;
  if (wanted === passkey.name) return null;
  const { id, memberId } = passkey;
  await updatePasskey(tx, { ...passkey, name: wanted });
  await auditDeed(tx, { event: 'passkey_changed', memberId, target: id });
  return null;
}

/**
 * Removes a passkey, and tells its member. The last way in stays (decision 46).
 *
 * @param language that of the page; left out where it was not the member's doing
 * @returns whether it was removed
 */
export async function removePasskey(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  passkey: Passkey,
  { clock, mails, language }: Pick<MemberDeps, 'clock' | 'mails'> & { readonly language?: string },
): Promise<boolean> {
  const ways = await listWaysIn(tx, tenant, member);
  if (isLastWayIn(ways, { way: 'passkey', id: passkey.id })) return false;
  await deletePasskey(tx, passkey);
  const { id: memberId } = member;
  await auditDeed(tx, { event: 'passkey_removed', memberId, target: passkey.id, reason: passkey.name });
  await mails.queue(tx, tenant, {
    ...toMember(member, language, { passkey: passkey.name, time: clock() }),
    name: 'passkeyRemoved',
    link: `${tenant.issuer}/account/passkeys`,
  });
  return true;
}
