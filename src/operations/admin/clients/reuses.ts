// The operation that shows which sign-ins ended since a used refresh token came back, and what a client's page says of it.
import { isoTime } from '../../../core/access/iso-time.ts';
import { type ReuseClass, reuseAdvice, reuseClasses } from '../../../core/grants/reuse.ts';
import type { SignIn } from '../../../core/grants/sign-in.ts';
import { reusesCounted } from '../../../core/operators/limits.ts';
import { findRegisteredClient } from '../../../storage/clients/client.ts';
import { countReuses, listReuses, type ReusedSignIn } from '../../../storage/grants/reuse.ts';
import type { Tx } from '../../../storage/store.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { limitField, nextText, pageOf } from '../list.ts';
import { memberNameFields, withMemberNames } from '../names.ts';
import type { Operation } from '../operation.ts';
import { clientIdField } from './client.ts';

const reuseField = s.oneOf(
  'ReuseClass',
  'What it most likely was: an answer that was lost, two refreshes at once, a theft, or neither is clear',
  reuseClasses,
);

const signInIdField = s.text('The sign-in that ended', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a09');

/** What a client's page says of each class that came up. */
export const countedReusesSchema = s.list(
  'Used refresh tokens that came back in the last 30 days; each ended a sign-in',
  s.resource('CountedReuse', 'How often used refresh tokens came back, by what that most likely was', {
    reuse: reuseField,
    count: s.wholeNumber('How often', 3),
    lastAt: s.time('When last'),
    advice: s.text('What to do about it', reuseAdvice.lost_response),
  }),
);

export async function countedReusesOf(tx: Tx, of: Pick<SignIn, 'tenantId' | 'clientId'>, now: number) {
  const counted = await countReuses(tx, of, now - reusesCounted);
  const byClass = new Map(counted.map((one) => [one.reuse, one]));
  return reuseClasses.flatMap((reuse: ReuseClass) => {
    const one = byClass.get(reuse);
    if (one === undefined) return [];
    return [{ reuse, count: one.count, lastAt: isoTime(one.lastAt), advice: reuseAdvice[reuse] }];
  });
}

const reusedSchema = s.resource('ReusedSignIn', 'A sign-in that ended since a used refresh token came back', {
  signInId: signInIdField,
  endedAt: s.time('When'),
  reuse: reuseField,
  memberId: s.text('Whose it was', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a01'),
  ...memberNameFields,
});

const reusedAnswer = ({ id: signInId, endedAt, reuse, memberId }: ReusedSignIn) => ({
  signInId,
  endedAt: isoTime(endedAt),
  reuse,
  memberId,
});

const listed = onTenant({
  name: 'reuses.list',
  summary: 'List the sign-ins of a client that ended since a used refresh token came back, the newest first',
  portal: {
    list: {
      title: 'Refresh tokens that came back',
      lead: 'Sign-ins that ended when a refresh token was used a second time, with what that most likely was. The audit has the reasons of each.',
      columns: ['endedAt', 'reuse', 'memberId', 'signInId'],
      pagedBy: { field: 'before', key: 'signInId' },
    },
  },
  permission: 'clients:read',
  route: 'GET /clients/{clientId}/reuses',
  fields: { clientId: clientIdField },
  optional: {
    reuse: reuseField,
    before: s.text(
      'The signInId of the last entry of the page before',
      '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a09',
    ),
    limit: limitField,
  },
  output: s.exactly('A page of such sign-ins', {
    reuses: s.list('Sign-ins', reusedSchema),
    next: nextText,
  }),
  run: async (context, { clientId, reuse, before, limit }) => {
    const { tx, tenant } = context;
    if ((await findRegisteredClient(tx, tenant.id, clientId)) === null) throw unknown('client');
    const of = { tenantId: tenant.id, clientId };
    const { page, last } = pageOf(await listReuses(tx, of, { reuse, before, limit: limit + 1 }), limit);
    return { reuses: await withMemberNames(page.map(reusedAnswer), context), next: last?.id ?? null };
  },
});

export const reuseOperations: readonly Operation[] = [listed];
