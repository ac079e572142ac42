// Why a member cannot sign in, as `members.read` answers it.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { guessesShown } from '../../../core/members/limits.ts';
import type { Member } from '../../../core/members/member.ts';
import {
  type Hindrance,
  type HindranceName,
  hindranceNames,
  signInStanding,
} from '../../../core/members/sign-in-standing.ts';
import { passwordSince } from '../../../storage/members/member.ts';
import { findSecondFactor } from '../../../storage/members/second-factor.ts';
import { listAuditEvents } from '../../../storage/operators/audit-list.ts';
import * as s from '../../json-schema.ts';
import { seenAddress } from '../../session/notice.ts';
import { listWaysIn } from '../../sign-in/ways-in.ts';
import type { OnTenant } from '../define.ts';
import type { OperationContext } from '../operation.ts';
import { memberLimitsOf } from './member-limits.ts';

/** The operations that help against each. */
const helps: Readonly<Record<HindranceName, readonly string[]>> = {
  disabled: ['members.enable'],
  wrong_passwords: ['members.unlock', 'members.sendPasswordReset'],
  no_password: ['members.sendInvitation'],
  deletion_asked: ['members.cancelDeletion'],
  wrong_current_passwords: ['members.unlock', 'members.sendPasswordReset'],
  wrong_second_factors: ['members.unlock', 'members.resetSecondFactor'],
  wrong_user_codes: ['members.unlock'],
  address_not_proven: ['members.sendPasswordReset'],
};

const hindranceSchema = s.resource('Hindrance', 'Something that stands in the way of the member', {
  hindrance: s.oneOf('HindranceName', 'What it is', hindranceNames),
  keepsOut: s.flag('Whether the member cannot sign in; the others keep from less, or will'),
  until: s.timeOrNull('Until when, or from when on; null until an operator mends it', null),
  counted: s.orNull(s.wholeNumber('How many wrong guesses count', 10)),
  since: s.timeOrNull('When the first of those guesses came, as far as the audit has them', null),
  addresses: s.texts('The addresses that they came from', '192.0.2.1'),
  places: s.texts('The places of these, where the service has a database of places', 'Oslo, Norway'),
  helpedBy: s.texts('The operations that help', 'members.unlock'),
});

export const standingSchema = s.resource('SignInStanding', 'Whether the member can sign in', {
  canSignIn: s.flag('Whether the member can sign in now'),
  hindrances: s.list('What stands in the way, in the order in which to mend it', hindranceSchema),
  lastSignInAt: s.timeOrNull('When the member signed in last, as far as the audit has it', null),
  secondFactorSince: s.timeOrNull('Since when two-step sign-in is on; null where it is off', null),
  passwordSince: s.timeOrNull('When the password was chosen; null where none was, or it is not known', null),
});

/** Whether a member can sign in, what stands in the way, and where wrong guesses came from. */
export async function standingFor(context: OnTenant<OperationContext>, member: Member) {
  const { tx, tenant, now } = context;
  const since = await passwordSince(tx, member);
  const ways = await listWaysIn(tx, tenant, member);
  // A code by mail proves an address that was not proven before.
  const hasWayIn = ways.length > 0 || tenant.emailCodes !== 'off';
  const facts = { limits: await memberLimitsOf(context, member), hasWayIn };
  const { canSignIn, hindrances } = signInStanding(member, facts, now);
  const signedIn = { tenantId: tenant.id, actorId: member.id, event: 'sign_in' } as const;
  const [last] = await listAuditEvents(tx, signedIn, 1);
  return {
    canSignIn,
    hindrances: await Promise.all(hindrances.map((one) => withGuesses(context, member, one))),
    lastSignInAt: isoTimeOrNull(last?.at ?? null),
    secondFactorSince: isoTimeOrNull((await findSecondFactor(tx, member.id))?.createdAt ?? null),
    passwordSince: since === null || since === 0 ? null : isoTime(since),
  };
}

async function withGuesses(context: OnTenant<OperationContext>, member: Member, hindrance: Hindrance) {
  const { counted, until } = hindrance;
  return {
    ...hindrance,
    until: isoTimeOrNull(until),
    ...(await guessesAt(context, member, hindrance.hindrance, counted ?? 0)),
    helpedBy: helps[hindrance.hindrance],
  };
}

/** Where the last guesses came from, and since when: as many as count, and no more than a page tells of. */
async function guessesAt(
  { tx, tenant, placeOf }: OnTenant<OperationContext>,
  { id: target }: Member,
  hindrance: HindranceName,
  counted: number,
) {
  const arePasswords = hindrance === 'wrong_passwords' || hindrance === 'wrong_current_passwords';
  if (!arePasswords || counted === 0) return { since: null, addresses: [], places: [] };
  const filter = { tenantId: tenant.id, target, event: 'sign_in_refused' } as const;
  const guesses = await listAuditEvents(tx, filter, Math.min(counted, guessesShown));
  const addresses = distinct(guesses.flatMap(({ address }) => address ?? []).map(seenAddress));
  return {
    since: isoTimeOrNull(guesses.at(-1)?.at ?? null),
    addresses,
    places: distinct(addresses.flatMap((address) => placeOf(address, 'en') ?? [])),
  };
}

const distinct = (texts: readonly string[]) => [...new Set(texts)];
