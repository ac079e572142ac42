// The operations on initial access tokens, with which clients register themselves.

import { isoTime } from '../../../core/access/iso-time.ts';
import { sha256 } from '../../../core/hash.ts';
import { nameProblem } from '../../../core/members/details.ts';
import { brandNameLength } from '../../../core/members/limits.ts';
import { registrationToken } from '../../../core/registration/limits.ts';
import type { RegistrationTokenRow } from '../../../storage/clients/schema.ts';
import {
  deleteRegistrationToken,
  insertRegistrationToken,
  listRegistrationTokens,
} from '../../../storage/registration/registration-token.ts';
import * as s from '../../json-schema.ts';
import { invalid, refuseIfAny, unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation } from '../operation.ts';

const tokenIdField = s.named(
  'RegistrationTokenId',
  s.text('The id of the token', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a07'),
);
const nameField = s.held(
  s.text('What it is for', 'partners of the spring campaign'),
  s.nameRule(brandNameLength),
);
const usesField = s.numberFrom(
  1,
  registrationToken.mostUses,
  'How many clients it may register; one where it is left out',
  1,
);

const tokenSchema = s.resource('RegistrationToken', 'An initial access token', {
  registrationTokenId: tokenIdField,
  name: nameField,
  usesLeft: s.wholeNumber('How many clients it may register yet', 1),
  createdAt: s.time('When it was made'),
  expiresAt: s.time('When it stops working'),
});

function answerOf({ id, name, usesLeft, createdAt, expiresAt }: RegistrationTokenRow) {
  return {
    registrationTokenId: id,
    name,
    usesLeft,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  };
}

const listed = onTenant(
  keyedList({
    name: 'registrationTokens.list',
    summary: 'List the initial access tokens of a tenant',
    permission: 'clients:read',
    route: 'GET /registration-tokens',
    title: 'Registration tokens',
    lead: 'With such a token a client registers itself. A secret is shown once, when its token is made.',
    columns: ['name', 'usesLeft', 'createdAt', 'expiresAt'],
    entry: { field: 'registrationTokenId', key: 'registrationTokenId' },
    bulk: ['registrationTokens.delete'],
    of: 'registrationTokens',
    page: 'A page of initial access tokens, oldest first',
    schema: tokenSchema,
    read: async ({ tx, tenant }, page) => (await listRegistrationTokens(tx, tenant.id, page)).map(answerOf),
  }),
);

const created = onTenant({
  name: 'registrationTokens.create',
  summary: 'Create an initial access token. It is shown once, in this answer',
  portal: { page: 'registrationTokens.list' },
  permission: 'clients:write',
  route: 'POST /registration-tokens',
  fields: { name: nameField },
  optional: {
    uses: { ...usesField, default: 1 } as s.Defaulted<number>,
    expiresAt: s.time(
      'When it stops working; a day from now where this is left out',
      '2036-01-01T00:00:00.000Z',
    ),
  },
  output: s.extended(tokenSchema, 'NewRegistrationToken', 'The token', {
    secret: s.asSecret(
      s.text('The token itself: shown once', 'cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs'),
    ),
  }),
  made: 'registrationTokenId',
  run: async ({ tx, tenant, random, now }, { name, uses, expiresAt: sent }) => {
    refuseIfAny([nameProblem(name)].filter((found) => found !== null));
    const expiresAt = sent === undefined ? now + registrationToken.life : Date.parse(sent);
    if (expiresAt <= now) throw invalid('expiresAt', 'past');
    const secret = random.secret();
    const row = {
      id: random.id(now),
      tenantId: tenant.id,
      name: name.trim(),
      secretHash: sha256(secret),
      usesLeft: uses,
      createdAt: now,
      expiresAt,
    };
    await insertRegistrationToken(tx, row);
    return { ...answerOf(row), secret };
  },
});

const deleted = onTenant({
  name: 'registrationTokens.delete',
  summary: 'Delete an initial access token: it registers no client any more',
  portal: { page: 'registrationTokens.list', reads: 'registrationTokens.list', ends: 'forGood' },
  permission: 'clients:write',
  route: 'DELETE /registration-tokens/{registrationTokenId}',
  fields: { registrationTokenId: tokenIdField },
  output: s.resource('DeletedRegistrationToken', 'The token that was deleted', {
    registrationTokenId: tokenIdField,
  }),
  run: async ({ tx, tenant }, { registrationTokenId }) => {
    if (!(await deleteRegistrationToken(tx, tenant.id, registrationTokenId))) throw unknown('token');
    return { registrationTokenId };
  },
});

export const registrationTokenOperations: readonly Operation[] = [listed, created, deleted];
