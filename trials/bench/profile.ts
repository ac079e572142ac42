/**
 * The profiles of a member among ten and among ten thousand: what a request costs must not grow with the
 * table. Two services in one process, each on a file of its own, are asked in turns over real sockets.
 * `npm run bench:profile`
 */
import { addSubscription } from '../../src/operations/access/subscription.ts';
import { signingKeyFor, signToken } from '../../src/secrets/signing.ts';
import { listPackages } from '../../src/storage/access/package.ts';
import { insertMember } from '../../src/storage/members/member.ts';
import { bearer, profileUrl } from '../../test/support/api.ts';
import { memberOf } from '../../test/support/fixtures.ts';
import { apiAudience, startTestService, type TestService } from '../../test/support/service.ts';

const subscriptionsEach = 5;
const rounds = 20;
const requestsARound = 500;
const connections = 8;
/** Members are inserted so many in a transaction. */
const batch = 500;
const day = 24 * 3_600_000;

interface Side {
  readonly name: string;
  readonly service: TestService;
  readonly host: string;
  readonly tokens: readonly string[];
}

/** A service whose tenant has so many members more than the development start, with a token of each. */
async function sideOf(members: number): Promise<Side> {
  const service = await startTestService({ data: 'development' });
  const host = `localhost:${service.port}`;
  const tenant = service.tenants.byHost(host);
  if (tenant === null) throw new Error('the development start has no tenant');
  const now = service.clock.now();
  const key = signingKeyFor(tenant.keys, 'ES256', now);
  const tokens: string[] = [];
  for (let first = 0; first < members; first += batch) {
    const some = Array.from({ length: Math.min(batch, members - first) }, (_, index) => {
      const number = 100_000 + first + index;
      return memberOf(tenant.id, `member${number}@example.test`, number, now);
    });
    await service.store.transaction(async (tx) => {
      const packages = await listPackages(tx, tenant.id);
      for (const member of some) {
        await insertMember(tx, member, '');
        for (let n = 0; n < subscriptionsEach; n += 1) {
          await addSubscription(tx, tenant.id, {
            memberId: member.id,
            packageId: packages[n % packages.length]?.id ?? 0,
            createdAt: now - 40 * day,
            activatedAt: now - 30 * day,
            expiresAt: now + (n + 1) * 30 * day,
            customPropertyValues: { seats: n },
          });
        }
      }
    });
    for (const { id } of some) {
      const seconds = Math.floor(now / 1_000);
      tokens.push(
        await signToken(key, 'at+jwt', {
          iss: tenant.issuer,
          sub: id,
          aud: apiAudience,
          client_id: 'spa',
          scope: 'openid offline_access',
          sid: 'bench',
          iat: seconds,
          exp: seconds + 14_400,
        }),
      );
    }
  }
  return { name: `${members} members`, service, host, tokens };
}

/** Asks for the profiles of members drawn at random, a few at a time. @returns ms of each request */
async function round({ service, host, tokens }: Side, path: string): Promise<readonly number[]> {
  const times: number[] = [];
  const ask = async () => {
    while (times.length < requestsARound) {
      const token = tokens[Math.floor(Math.random() * tokens.length)] ?? '';
      const startedAt = performance.now();
      const { status, text } = await service.http(host, `${profileUrl}${path}`, { headers: bearer(token) });
      times.push(performance.now() - startedAt);
      if (status !== 200) throw new Error(`a profile was answered by ${status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  return times;
}

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const figures = (times: readonly number[]) => [quantile(times, 0.5), quantile(times, 0.99)] as const;

const [few, many] = [await sideOf(10), await sideOf(10_000)];
const paths = ['/info-with-active-subscriptions', '/info-with-content-access'];
console.info(
  `${subscriptionsEach} subscriptions each, ${rounds} rounds of ${requestsARound} requests, ${connections} at a time`,
);
for (const path of paths) {
  const times: Record<'few' | 'many', number[]> = { few: [], many: [] };
  for (const side of [few, many]) await round(side, path);
  for (let n = 0; n < rounds; n += 1) {
    times.few.push(...(await round(few, path)));
    times.many.push(...(await round(many, path)));
  }
  const [median, p99] = figures(times.few);
  const [medianOfMany, p99OfMany] = figures(times.many);
  console.info(`\n${path}`);
  for (const [name, middle, last] of [
    [few.name, median, p99],
    [many.name, medianOfMany, p99OfMany],
  ] as const) {
    console.info(
      `${name.padStart(14)}: median ${middle.toFixed(2).padStart(6)} ms, p99 ${last.toFixed(2).padStart(6)} ms`,
    );
  }
  console.info(
    `         ratio: median ${(medianOfMany / median).toFixed(2)}, p99 ${(p99OfMany / p99).toFixed(2)}`,
  );
}
await Promise.all([few.service.stop(), many.service.stop()]);
