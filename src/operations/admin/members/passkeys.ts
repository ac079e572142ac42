// The operations on a member's passkeys. An operator may remove one, and never adds one: that takes its authenticator.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { passkeyLimits } from '../../../core/members/limits.ts';
import type { Passkey } from '../../../core/members/passkey.ts';
import { findPasskey, listPasskeys } from '../../../storage/members/passkey.ts';
import * as s from '../../json-schema.ts';
import { removePasskey, renamePasskey } from '../../passkey/passkeys.ts';
import { conflict, refuseIfAny, unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { manageableMember, memberField, memberFor } from './member.ts';

const passkeyIdField = s.named(
  'PasskeyId',
  s.text('The id of the passkey', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a05'),
);
const nameField = s.held(s.text('What the member calls it', 'Phone'), s.nameRule(passkeyLimits.name));

export const passkeySchema = s.resource('Passkey', 'A passkey that a member signs in with', {
  id: passkeyIdField,
  name: nameField,
  synced: s.flag('Whether it may be on several devices'),
  backedUp: s.flag('Whether it is kept elsewhere too, so that it outlives its device'),
  aaguid: s.text('What made it; zeros where that is not told', 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'),
  userAgent: s.text('The browser that it was last used in', 'Mozilla/5.0'),
  ipAddress: s.text('The address that it was last used from', '192.0.2.1'),
  createdAt: s.time('When it was made'),
  lastUsedAt: s.timeOrNull('When it was last used; null is never', null),
});

export function passkeyAnswer(passkey: Passkey) {
  return s.pick(passkeySchema, {
    ...passkey,
    synced: passkey.isSynced,
    backedUp: passkey.isBackedUp,
    createdAt: isoTime(passkey.createdAt),
    lastUsedAt: isoTimeOrNull(passkey.lastUsedAt),
  });
}

const fields = { memberId: memberField };

const listed = onTenant(
  keyedList({
    name: 'passkeys.list',
    summary: 'List the passkeys of a member',
    permission: 'members:read',
    route: 'GET /members/{memberId}/passkeys',
    title: 'Passkeys',
    lead: 'The passkeys that a member signs in with.',
    columns: ['name', 'synced', 'userAgent', 'ipAddress', 'createdAt', 'lastUsedAt'],
    entry: { field: 'passkeyId', key: 'id' },
    of: 'passkeys',
    page: 'A page of passkeys',
    fields,
    schema: passkeySchema,
    read: async (context, { only, after = '', isDescending = false, limit }, { memberId }) => {
      const member = await memberFor(context, memberId);
      // A member has few.
      const all = (await listPasskeys(context.tx, member.id)).map(passkeyAnswer);
      const inOrder = isDescending ? all : all.toReversed();
      const behind = after === '' ? 0 : inOrder.findIndex(({ id }) => id === after) + 1;
      return inOrder
        .slice(behind)
        .filter(({ id }) => only === undefined || id === only)
        .slice(0, limit);
    },
  }),
);

/** @throws OperationRefused */
async function passkeyFor(
  context: OnTenant<OperationContext>,
  { memberId, passkeyId }: { readonly memberId: string; readonly passkeyId: string },
) {
  const member = await manageableMember(context, memberId);
  const passkey = await findPasskey(context.tx, member.id, passkeyId);
  if (passkey === null) throw unknown('passkey');
  return { member, passkey };
}

const ofPasskey = { page: ['passkeys.list', 'members.read'], reads: 'passkeys.list' } as const;

const renamed = onTenant({
  name: 'passkeys.rename',
  summary: 'Give a passkey of a member another name',
  portal: ofPasskey,
  permission: 'members:write',
  route: 'PATCH /members/{memberId}/passkeys/{passkeyId}',
  fields: { ...fields, passkeyId: passkeyIdField, name: nameField },
  output: passkeySchema,
  run: async (context, input) => {
    const { member, passkey } = await passkeyFor(context, input);
    const problem = await renamePasskey(context.tx, passkey, input.name);
    refuseIfAny(problem === null ? [] : [problem]);
    return passkeyAnswer((await findPasskey(context.tx, member.id, passkey.id)) ?? passkey);
  },
});

const removed = onTenant({
  name: 'passkeys.remove',
  summary: 'Remove a passkey of a member, such as one on a device that was lost',
  portal: { ...ofPasskey, ends: 'forGood' },
  permission: 'members:write',
  route: 'DELETE /members/{memberId}/passkeys/{passkeyId}',
  fields: { ...fields, passkeyId: passkeyIdField },
  output: s.exactly('What was removed', { id: passkeyIdField }),
  run: async (context, input) => {
    const { tx, tenant, mails, now } = context;
    const { member, passkey } = await passkeyFor(context, input);
    const isRemoved = await removePasskey(tx, tenant, member, passkey, { clock: () => now, mails });
    if (!isRemoved) throw conflict('passkeyId', 'last_way_in');
    return { id: passkey.id };
  },
});

export const passkeyOperations: readonly Operation[] = [listed, renamed, removed];
