// The operations that change a member.

import { passwordLength } from '../../../core/members/limits.ts';
import {
  blankMember,
  isGone,
  type Member,
  normaliseEmail,
  type UserType,
} from '../../../core/members/member.ts';
import { passwordProblem } from '../../../core/members/password.ts';
import { type Actor, mayGrant } from '../../../core/operators/permission.ts';
import { within } from '../../../core/problem.ts';
import { endSession } from '../../../core/session.ts';
import { apply } from '../../../storage/apply.ts';
import { listActiveSessions } from '../../../storage/grants/session.ts';
import {
  findMemberByEmail,
  insertMember,
  nextMemberNumbers,
  updateMember,
  updateUserType,
} from '../../../storage/members/member.ts';
import type { Tx } from '../../../storage/store.ts';
import { forgetMailedLinks } from '../../email-proof/email-proof.ts';
import * as s from '../../json-schema.ts';
import { deleteMember } from '../../member/member.ts';
import { passwordEstimate } from '../../member/password-strength.ts';
import { mailPasswordLink, replacePassword } from '../../recovery/recovery.ts';
import { conflict, denied, invalid, OperationRefused } from '../../refusal.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';
import { firstSubscriptionField, subscriptionIdField } from '../access/subscriptions.ts';
import { forceField, type OnTenant, onTenant } from '../define.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { countMail } from './mails.ts';
import {
  demandManage,
  demandOther,
  emailField,
  freeExternalId,
  fullNameField,
  manageableMember,
  memberAnswer,
  memberField,
  memberFields,
  memberFor,
  memberSchema,
  ofMember,
  provenChangeFields,
  provenFields,
  userTypeField,
  withDetails,
} from './member.ts';

const created = onTenant({
  name: 'members.create',
  summary: 'Add a member, whom a mail invites to choose a password unless you give one',
  portal: {
    page: 'members.list',
    lands: 'members.read',
    groups: [
      { name: 'who', fields: ['fullName', 'email', 'userType'] },
      {
        name: 'rest',
        fields: ['password', ...Object.keys(memberFields), ...Object.keys(provenFields)],
        isFolded: true,
      },
    ],
  },
  permission: 'members:write',
  route: 'POST /members',
  fields: { fullName: fullNameField, email: emailField },
  optional: {
    password: s.asSecret(
      s.held(
        s.text('The password; without one the member is invited by mail', 'correct horse battery staple'),
        { minLength: passwordLength.least },
      ),
    ),
    userType: { ...userTypeField, default: 'member' },
    ...memberFields,
    ...provenFields,
    subscription: firstSubscriptionField,
  },
  output: s.extended(memberSchema, 'NewMember', 'A member who was added', {
    subscriptionId: s.orNull(subscriptionIdField),
  }),
  made: 'id',
  prepare: async (input, { tenant, actor, passwords, random, now }) => {
    demandManage(actor, input.userType);
    if (input.subscription !== undefined) demandSubscribing(actor);
    withDetails(beginning(tenant, input.userType, now), input, now);
    const { password } = input;
    if (password !== undefined) await checkPassword(password, input, tenant);
    // Without a password the member gets a random one, which works for no one until the link of the mail is used.
    return { passwordHash: await passwords.hash(password ?? random.secret()) };
  },
  run: async (context, input, { passwordHash }) => {
    const { tx, tenant, random, mails, now } = context;
    await freeAddress(tx, tenant.id, input.email, now);
    const member: Member = {
      ...withDetails(beginning(tenant, input.userType, now), input, now),
      ...(await nextMemberNumbers(tx, tenant.id)),
      id: random.id(now),
    };
    await freeExternalId(tx, member);
    await insertMember(tx, member, passwordHash, input.password === undefined ? null : now);
    if (input.password === undefined) {
      await countMail(context, member.email, 'email');
      await mailPasswordLink(tx, tenant, member, 'invitation', { clock: () => now, random, mails });
    }
    const { subscription } = input;
    const subscriptionId =
      subscription === undefined ? null : await subscribed(context, member.id, subscription);
    return { ...memberAnswer(member), subscriptionId };
  },
});

function demandSubscribing(actor: Actor): void {
  const permission = 'subscriptions:write';
  if (!mayGrant(actor, [permission])) throw denied('subscription', 'permission_needed', { permission });
}

/** Gives a new member the first subscription, as the operation that gives one does. @returns its number */
async function subscribed(
  { runPart, operationOf, tenants, tenant }: OnTenant<OperationContext>,
  memberId: string,
  subscription: object,
): Promise<number> {
  const operation = operationOf('subscriptions.create');
  const input = { ...subscription, memberId, tenant: tenant.id };
  const given = await runPart({ operation, input, tenants, tenant }).catch((error: unknown) => {
    if (!(error instanceof OperationRefused)) throw error;
    throw new OperationRefused(error.kind, within(['subscription'], error.problems));
  });
  return (given as { readonly subscriptionId: number }).subscriptionId;
}

function beginning({ id }: OpenTenant, userType: UserType, now: number): Member {
  return { ...blankMember(id, now), userType };
}

async function checkPassword(
  password: string,
  { email, fullName }: Pick<Member, 'email' | 'fullName'>,
  { passwordLength: least, name }: OpenTenant,
): Promise<void> {
  const rules = { least, email, names: [fullName, name], guessesTo: await passwordEstimate() };
  const found = passwordProblem(password, rules);
  if (found === null) return;
  throw invalid('password', passwordCodes[found], { least });
}

const passwordCodes = {
  missing: 'missing',
  short: 'too_short',
  long: 'too_long_for_use',
  common: 'common_password',
  address: 'password_is_address',
} as const;

/** Makes sure that no other member has an address; a deleted member has none. @throws OperationRefused */
async function freeAddress(
  tx: Tx,
  tenantId: string,
  email: string,
  now: number,
  ownId: string | null = null,
): Promise<void> {
  const known = await findMemberByEmail(tx, tenantId, email);
  if (known === null || known.member.id === ownId) return;
  if (!isGone(known.member, now)) throw conflict('email', 'address_taken');
  await deleteMember(tx, tenantId, known.member.id, now);
}

const changed = onTenant({
  name: 'members.change',
  summary: 'Change what is known of a member, and what the member may do',
  portal: ofMember,
  permission: 'members:write',
  route: 'PATCH /members/{memberId}',
  fields: { memberId: memberField },
  optional: {
    fullName: fullNameField,
    email: emailField,
    password: s.asSecret(
      s.text(
        'Another password; every session and sign-in of the member ends with it',
        'correct horse battery staple',
      ),
    ),
    userType: userTypeField,
    ...memberFields,
    ...provenChangeFields,
    force: forceField,
  },
  output: memberSchema,
  present: async (context, { memberId }) => memberAnswer(await memberFor(context, memberId)),
  prepare: async ({ password, email = '', fullName = '' }, { tenant, passwords }) => {
    if (password === undefined) return { passwordHash: null };
    await checkPassword(password, { email, fullName }, tenant);
    return { passwordHash: await passwords.hash(password) };
  },
  run: async (context, { memberId, userType, password, force: _, ...input }, { passwordHash }) => {
    const { tx, tenant, actor, mails, now } = context;
    const member = await manageableMember(context, memberId);
    const changed = withDetails(member, input, now);
    if (password !== undefined) await checkPassword(password, changed, tenant);
    if (normaliseEmail(changed.email) !== normaliseEmail(member.email)) {
      await freeAddress(tx, tenant.id, changed.email, now, member.id);
      await forgetMailedLinks(tx, member.id);
      await mails.queue(tx, tenant, {
        name: 'emailChanged',
        to: member.email,
        memberId: member.id,
        language: member.locale ?? tenant.languages[0] ?? 'en',
        values: { fullName: member.fullName, email: changed.email, time: now },
      });
    }
    await freeExternalId(tx, changed);
    await updateMember(tx, changed);
    if (passwordHash !== null) {
      const set = { passwordHash, everywhere: true, reason: 'by an operator' };
      await replacePassword(tx, tenant, changed, set, { clock: () => now, mails });
    }
    if (userType === undefined || userType === member.userType) return memberAnswer(changed);
    demandManage(actor, userType);
    demandOther(actor, memberId);
    await updateUserType(tx, changed, { userType, updatedAt: changed.updatedAt });
    await endAdminSessions(tx, memberId);
    return memberAnswer({ ...changed, userType });
  },
});

/** Signs an administrator out of the portal when what they may do has changed. */
async function endAdminSessions(tx: Tx, memberId: string): Promise<void> {
  for (const session of await listActiveSessions(tx, memberId)) {
    if (session.kind === 'admin') await apply(tx, endSession(session));
  }
}

export const memberChangeOperations: readonly Operation[] = [created, changed];
