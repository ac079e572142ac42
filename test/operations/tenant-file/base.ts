import { afterAll, beforeAll } from 'vitest';
import { stringify } from 'yaml';
import { sha256 } from '../../../src/core/hash.ts';
import { type LocalSocket, openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import type { Change } from '../../../src/operations/tenant-file/change.ts';
import type { FileTenant } from '../../../src/operations/tenant-file/tenant-file.ts';
import type { Said } from '../../support/operators/command.ts';
import { refusal, run } from '../../support/operators/desk.ts';
import { applied } from '../../support/operators/tenant-file.ts';
import type { TestService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

export const secretHash = sha256('one');
export const offer = { period: { unit: 'month', count: 1 }, payment: 'free' } as const;

/** A tenant with one of each. */
export const base: FileTenant = {
  issuer: 'http://base.localhost',
  name: 'Base',
  development: true,
  properties: [{ key: 'seats', type: 'number' }],
  products: ['News', 'Sport'],
  packages: [{ ...offer, name: 'Gold', price: { amount: 0, currency: 'NOK' }, products: ['News'] }],
  channels: [{ id: 'live', name: 'Live', products: ['Sport'] }],
  consents: [{ id: 'mail', name: 'Mail' }],
  clients: [
    { clientId: 'web', name: 'Web', type: 'confidential', secretHash },
    { clientId: 'tv', name: 'TV', type: 'public' },
  ],
  members: [{ email: 'ada@example.com', fullName: 'Ada', subscriptions: [{ package: 'Gold' }] }],
};
export const host = 'base.localhost';
/** Its name alone, for files that say something else of it. */
export const named = { issuer: base.issuer, name: base.name };
export const inDevelopment = { ...named, development: true };

/** Tenants as a file. */
export const text = (...tenants: readonly object[]) => stringify({ tenants });

/** A development service that has the tenant above, and the ways to give it a file. */
export interface Given {
  service(): TestService;
  /** `memberdoor apply` with a file of one tenant; --yes unless options are given. */
  apply(tenant: object, ...options: readonly string[]): Promise<Said>;
  /** What a file would change. */
  changesOf(tenant: object, more?: object): Promise<readonly Change[]>;
  /** Why a file is refused. */
  problemsOf(...tenants: readonly object[]): Promise<readonly string[]>;
}

/** Starts the service before the tests of a file, and stops it behind them. */
export function giveBase(): Given {
  const service = useService({ data: 'development' });
  let socket: LocalSocket | null;
  beforeAll(async () => {
    socket = await openSocket(service.folder, operations, service.deps, service.app.log);
    await applied(service.folder, text(base));
  });
  afterAll(() => socket?.close());
  return {
    service: () => service,
    apply: (tenant, ...options) =>
      applied(service.folder, text(tenant), options.length === 0 ? ['--yes'] : options),
    async changesOf(tenant, more = {}) {
      const input = { file: text(tenant), ...more };
      const answer = await run<{ changes: readonly Change[] }>(service, 'serviceTenantFiles.compare', input);
      return answer.changes;
    },
    problemsOf: async (...tenants) =>
      (await refusal(service, 'serviceTenantFiles.apply', { file: text(...tenants) })).problems,
  };
}
