import { expect } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { type Permission, permissions } from '../../../src/core/operators/permission.ts';
import { insertAdminToken } from '../../../src/storage/operators/admin-token.ts';
import { systemRandom } from '../../../src/system/random.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';

/** What a token of the admin API may do; all of it unless said otherwise. */
export interface TokenFacts {
  /** The host of its tenant; every tenant without one. */
  readonly host?: string;
  readonly permissions?: readonly Permission[];
  /** ms from now. */
  readonly expiresIn?: number;
  readonly revoked?: boolean;
}

/** Makes a token of the admin API. @returns its secret */
export async function adminToken(service: TestService, facts: TokenFacts = {}): Promise<string> {
  const now = service.clock.now();
  const secret = `mda_${systemRandom.secret()}`;
  const tenant = service.tenants.all().find(({ host }) => host === facts.host);
  await service.store.transaction((tx) =>
    insertAdminToken(tx, {
      id: systemRandom.id(now),
      tenantId: tenant?.id ?? null,
      name: 'of a test',
      secretHash: sha256(secret),
      permissions: facts.permissions ?? permissions,
      createdAt: now,
      expiresAt: facts.expiresIn === undefined ? null : now + facts.expiresIn,
      revokedAt: facts.revoked === true ? now : null,
      parentId: null,
      makerId: null,
    }),
  );
  return secret;
}

/** One call of the admin API. */
export interface ApiCall {
  readonly method?: string;
  /** Below `/api/v1/admin`. */
  readonly path: string;
  /** Sent as JSON; a text as it is. */
  readonly body?: object | string;
  readonly token?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export function callApi(service: TestService, call: ApiCall): Promise<Answer> {
  const { path, body, token, host = 'a.test', headers = {} } = call;
  return service.http(host, `/api/v1/admin${path}`, {
    method: call.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** A call that reads tenant A, and one that changes it. */
export const read: ApiCall = { path: '/tenants/a.test' };
export const change: ApiCall = {
  method: 'PATCH',
  path: '/tenants/a.test',
  body: { brandColor: '#112233' },
};

/** Holds an answer to what every refusal of the API looks like (H17). */
export function expectRefusal(answer: Answer, status: number, error: string | undefined): void {
  expect({ status: answer.status, error: answer.json().error }).toEqual({ status, error });
  const { error: _error, error_description, problems, ...others } = answer.json();
  expect(others).toEqual({});
  expect(error_description).toMatch(/^[ -!#-[\]-~]+$/);
  expect(problems === undefined || Array.isArray(problems)).toBe(true);
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
}

/** Every event that was written down so far, or after the one of this id, oldest first. */
export function auditEvents(service: TestService, after = 0) {
  return service.store.transaction((tx) =>
    tx.selectFrom('auditEvents').selectAll().where('id', '>', after).orderBy('id').execute(),
  );
}

/** The id of the last event that was written down so far. */
export function lastAuditEvent(service: TestService): Promise<number> {
  return service.store.transaction(async (tx) => {
    const { last } = await tx
      .selectFrom('auditEvents')
      .select((eb) => eb.fn.max('id').as('last'))
      .executeTakeFirstOrThrow();
    return Number(last ?? 0);
  });
}
