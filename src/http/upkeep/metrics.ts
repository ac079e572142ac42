// What the service counts while it works.
import type { FastifyInstance } from 'fastify';
import type { Client } from '../../core/client.ts';
import type { Sent } from '../../core/events/webhook.ts';
import type { ReuseClass } from '../../core/grants/reuse.ts';
import type { AskedResult } from '../../core/import/old-system.ts';
import type { AuditEvent, AuditEventName } from '../../core/operators/audit-event.ts';
import type { SignInWay } from '../../core/strength.ts';
import type { Tenants } from '../../operations/tenant/open-tenants.ts';
import type { Passwords } from '../../secrets/password.ts';

/** What is counted while it happens. No label holds anything that a caller chose. */
export interface Metrics {
  /** All of it in the text format of Prometheus, with its content type. */
  text(): Promise<{ readonly type: string; readonly body: string }>;
  /** @param route the route's pattern; null where there is none */
  request(route: string | null, method: string, status: number, seconds: number): void;
  /** @param tenant its host, as of all below. @param result `done`, or the error code of the answer */
  grant(tenant: string, type: string, result: string): void;
  /**
   * A refresh token that had been used came back, and ended its sign-in. Clients that no operator registered are one
   * label, since there may be any number of them. @param kind what it most likely was
   */
  refreshReused(tenant: string, client: Client, kind: ReuseClass): void;
  /** A limit refused a request. @param tenant `none` on a host without one. @param surface where, in a word */
  limit(tenant: string, limit: string, surface: string): void;
  /** A member, or an administrator at the portal, signed in or was refused. */
  signIn(tenant: string, who: 'member' | 'administrator', way: SignInWay, result: 'done' | 'refused'): void;
  /** A webhook was told of something, or was not. */
  webhook(tenant: string, outcome: Sent): void;
  /** The system that a tenant's members come from was asked for one, or was not though it might have been. */
  oldSystem(tenant: string, result: AskedResult): void;
  commit(ms: number, pieces: number): void;
}

/** Counts the passwords that are in hand; the queue is the semaphore's own. */
export function countPasswords(passwords: Passwords): { passwords: Passwords; inHand: () => number } {
  let inHand = 0;
  const counting = <T>(work: Promise<T>): Promise<T> => {
    inHand += 1;
    return work.finally(() => (inHand -= 1));
  };
  return {
    inHand: () => inHand,
    passwords: {
      ...passwords,
      hash: (...of) => counting(passwords.hash(...of)),
      verify: (...of) => counting(passwords.verify(...of)),
    },
  };
}

/** Counts every answer, as it was sent. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions;
    metrics.request(url ?? null, request.method, reply.statusCode, reply.elapsedTime / 1_000);
    done();
  });
}

const grantTypes: Readonly<Record<string, string>> = {
  authorization_code: 'authorization_code',
  refresh_token: 'refresh_token',
  client_credentials: 'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code': 'device_code',
};

const signIns: Partial<Record<AuditEventName, readonly ['member' | 'administrator', 'done' | 'refused']>> = {
  sign_in: ['member', 'done'],
  sign_in_refused: ['member', 'refused'],
  admin_signed_in: ['administrator', 'done'],
  admin_sign_in_refused: ['administrator', 'refused'],
};

/** Counts the sign-ins that the audit tells of. */
export function countEvent(
  { event, tenantId, way = 'password' }: Pick<AuditEvent, 'event' | 'tenantId' | 'way'>,
  tenants: Pick<Tenants, 'all'>,
  metrics: Metrics,
): void {
  const kind = signIns[event];
  if (kind === undefined) return;
  const host = tenants.all().find(({ id }) => id === tenantId)?.host ?? 'none';
  metrics.signIn(host, kind[0], way, kind[1]);
}

/** Counts the answers of the token endpoint by what they say. @param tokenUrl its path */
export function countGrants(app: FastifyInstance, tokenUrl: string, metrics: Metrics): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.routeOptions.url === tokenUrl && request.method === 'POST') {
      const asked: unknown = request.body instanceof Map ? request.body.get('grant_type')?.[0] : undefined;
      const type = grantTypes[String(asked)] ?? 'other';
      metrics.grant(request.tenant.host, type, resultOf(reply.statusCode, payload));
    }
    done(null, payload);
  });
}

function resultOf(status: number, payload: unknown): string {
  if (status === 200) return 'done';
  try {
    return String((JSON.parse(String(payload)) as { error?: unknown }).error);
  } catch {
    return 'unexpected';
  }
}
