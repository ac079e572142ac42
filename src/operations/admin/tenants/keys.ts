// The operations on signing keys.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { keyStanding, lastTokenEnds } from '../../../core/operators/signing-key.ts';
import { type Problem, problem } from '../../../core/problem.ts';
import type { SigningKeyRow } from '../../../storage/schema.ts';
import type { Tx } from '../../../storage/store.ts';
import { listSigningKeys, retireSigningKey } from '../../../storage/tenant.ts';
import * as s from '../../json-schema.ts';
import { conflict, OperationRefused, unknown } from '../../refusal.ts';
import {
  algorithmsOf,
  prepareRotation,
  publishNextKey,
  replaceKeys,
  signingAlgorithms,
} from '../../tenant/keys.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';
import { isNotYet } from '../portal-face.ts';

const kidField = s.named('KeyId', s.text('The key’s kid', 'q1Z0s5nq3yBkVXvIY0o6nWn0oWf2mJwbcmrkA5uY4xE'));

const keySchema = s.resource('SigningKey', 'A signing key', {
  kid: kidField,
  algorithm: s.oneOf(
    'SigningAlgorithm',
    'What it signs with: ES256 or RS256 access tokens, each of them id_tokens',
    signingAlgorithms,
  ),
  state: s.oneOf(
    'KeyState',
    'next: published, and signs later; signing; published: signs no more, and what it signed is accepted; ' +
      'retired: nothing it signed is accepted',
    ['next', 'signing', 'published', 'retired'],
  ),
  createdAt: s.time('When it was made'),
  activeFrom: s.time('From when on it signs'),
  lastTokenEndsAt: s.timeOrNull('When the last token it signed is over; null while it signs', null),
  retiredAt: s.timeOrNull('When it was retired', null),
});

const keysSchema = s.resource('SigningKeys', 'The keys, in the order in which they sign', {
  keys: s.list('Keys', keySchema),
});

async function keysOf(tx: Tx, tenantId: string, now: number): Promise<object> {
  const keys = await listSigningKeys(tx, tenantId);
  return {
    keys: keys.map((key) =>
      s.pick(keySchema, {
        ...key,
        state: keyStanding(key, keys, now),
        createdAt: isoTime(key.createdAt),
        activeFrom: isoTime(key.activeFrom),
        lastTokenEndsAt: isoTimeOrNull(lastTokenEnds(key, keys, now)),
        retiredAt: isoTimeOrNull(key.retiredAt),
      }),
    ),
  };
}

const listed = onTenant({
  name: 'keys.list',
  summary: 'List the signing keys of a tenant',
  portal: {
    list: {
      title: 'Keys',
      columns: ['kid', 'algorithm', 'state', 'activeFrom'],
      lead: 'What signs tokens. Keys are rotated by themselves; a new one is published a day before it signs.',
      entry: { field: 'kid', key: 'kid' },
    },
  },
  permission: 'keys:read',
  route: 'GET /keys',
  output: keysSchema,
  run: ({ tx, tenant, now }) => keysOf(tx, tenant.id, now),
});

const rotated = onTenant({
  name: 'keys.rotate',
  summary: 'Publish the next signing keys, which sign from tomorrow on; in an emergency they sign at once',
  portal: { page: 'keys.list', endsIf: { emergency: [true] } },
  permission: 'keys:write',
  route: 'POST /keys/rotate',
  optional: {
    algorithm: s.oneOf('SigningAlgorithm', 'Of this algorithm alone', signingAlgorithms),
    emergency: s.option(
      'A key is in wrong hands: the new one signs at once, and everything signed before is dead',
    ),
  },
  output: keysSchema,
  prepare: ({ algorithm, emergency }, { tenant, vault, now }) => {
    const algorithms = algorithm === undefined ? algorithmsOf(tenant.keys) : [algorithm];
    return prepareRotation(tenant.id, algorithms, emergency, vault, now);
  },
  run: async ({ tx, tenant, now }, { emergency }, prepared) => {
    for (const key of prepared) {
      if (emergency) await replaceKeys(tx, key, now);
      else if (!(await publishNextKey(tx, key, now))) {
        throw conflict([], 'next_key_published', { algorithm: key.algorithm });
      }
    }
    return keysOf(tx, tenant.id, now);
  },
});

const retired = onTenant({
  name: 'keys.retire',
  summary: 'Retire a signing key: what it signed is accepted no more',
  portal: {
    page: 'keys.list',
    reads: 'keys.list',
    ends: 'forGood',
    endsIf: { force: [true] },
    fits: isNotYet('retiredAt'),
  },
  permission: 'keys:write',
  route: 'POST /keys/{kid}/retire',
  fields: { kid: kidField },
  optional: {
    force: s.option('Though it signs, or a token that it signed is not over: that token is dead then'),
  },
  output: keysSchema,
  run: async ({ tx, tenant, now }, { kid, force }) => {
    const keys = await listSigningKeys(tx, tenant.id);
    const key = keys.find((known) => known.kid === kid);
    if (key === undefined) throw unknown('key');
    const refused = retirementProblem(key, keys, force, now);
    if (refused !== null) throw new OperationRefused('conflict', [refused]);
    if (key.retiredAt === null) await retireSigningKey(tx, kid, now);
    return keysOf(tx, tenant.id, now);
  },
});

/** Why a key cannot be retired, or null. */
function retirementProblem(
  key: SigningKeyRow,
  keys: readonly SigningKeyRow[],
  force: boolean,
  now: number,
): Problem | null {
  const standing = keyStanding(key, keys, now);
  if (standing === 'signing') {
    const rest = keys.filter(({ kid }) => kid !== key.kid);
    const isReplaced = rest.some(
      (other) => other.algorithm === key.algorithm && keyStanding(other, rest, now) === 'signing',
    );
    if (!isReplaced) return problem('kid', 'only_signing_key');
    return force ? null : problem('kid', 'key_signs');
  }
  const end = lastTokenEnds(key, keys, now);
  if (standing !== 'published' || end === null || now >= end || force) return null;
  return problem('kid', 'tokens_of_key', { until: isoTime(end) });
}

export const keyOperations: readonly Operation[] = [listed, rotated, retired];
