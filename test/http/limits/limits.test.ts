import { beforeEach, describe, expect, it } from 'vitest';
import { createFirstOfWindow, type LimitName } from '../../../src/http/limit-reached.ts';
import { createMetrics } from '../../../src/http/upkeep/prometheus.ts';
import { askForCode, phoneOf, setLimits, unlimited } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { submitRecovery } from '../../support/members/recover.ts';
import { atSignUp, submitSignUp } from '../../support/members/sign-up.ts';
import { auditEvents, callApi } from '../../support/operators/api.ts';
import { signInToPortal } from '../../support/operators/portal.ts';
import { apps, refreshAs } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, visitor } from '../../support/visitor.ts';

const { a } = hosts;
const minute = 60_000;
const metrics = createMetrics();
const service = useService({ data: 'security', metrics });

beforeEach(() => service.clock.advance(24 * 60 * minute));

/** Each limit, the tenant's own setting of it, and a request that counts against it. */
interface Case {
  readonly limit: LimitName;
  readonly surface: string;
  readonly setting: Parameters<typeof setLimits>[2];
  readonly request: (index: number) => Promise<Answer>;
}

const { redirectUri } = apps.pub1;
const start = () => authorizationParameters('pub1', redirectUri, pkce());

const cases: readonly Case[] = [
  {
    limit: 'device_requests',
    surface: 'protocol',
    setting: { deviceRequestsPerAddressAndMinute: 2 },
    request: () => askForCode(service, a),
  },
  {
    limit: 'device_requests_of_client',
    surface: 'protocol',
    setting: { deviceRequestsPerClientAndMinute: 2 },
    request: () => askForCode(service, a),
  },
  {
    limit: 'pending_device_codes',
    surface: 'protocol',
    setting: { pendingDeviceCodes: 2 },
    request: () => askForCode(service, a),
  },
  {
    limit: 'grants',
    surface: 'protocol',
    setting: { failedGrantsPerClientAddressAndMinute: 2 },
    request: () => refreshAs(service, a, apps.pub1, 'forged'),
  },
  {
    limit: 'client_authentications',
    surface: 'protocol',
    setting: { failedClientAuthenticationsPerAddressAndMinute: 2 },
    request: () => refreshAs(service, a, { ...apps.conf1, secret: 'wrong' }, 'forged'),
  },
  {
    limit: 'sign_ins',
    surface: 'pages',
    setting: { failedSignInsPerAddressAndMinute: 2 },
    request: async (index) => {
      const browser = visitor(service, a);
      return browser.signIn(
        await browser.authorize(start()),
        `nobody${index}@example.test`,
        'a wrong password',
      );
    },
  },
  {
    limit: 'sign_ins',
    surface: 'portal',
    setting: { failedSignInsPerAddressAndMinute: 2 },
    request: (index) =>
      signInToPortal(visitor(service, a), `nobody${index}@example.test`, 'a wrong password'),
  },
  {
    limit: 'sign_ups',
    surface: 'pages',
    setting: { signUpsPerAddressAndHour: 2 },
    request: async (index) => {
      const { browser, page } = await atSignUp(service, a);
      return submitSignUp(browser, page, { email: `new${index}@example.test` });
    },
  },
  {
    limit: 'recoveries',
    surface: 'pages',
    setting: { recoveriesPerAddressAndHour: 2 },
    request: async () => {
      const browser = visitor(service, a);
      const form = await browser.send(`/recover?flow=${field(await browser.authorize(start()), 'flow')}`);
      return submitRecovery(browser, form, 'nobody@example.test');
    },
  },
  {
    limit: 'user_codes',
    surface: 'pages',
    setting: {},
    request: async () => (await phoneOf(service, a)).open('000 000'),
  },
  {
    limit: 'admin_tokens',
    surface: 'admin_api',
    setting: {},
    request: () => callApi(service, { path: '/tenants', token: 'mda_wrong' }),
  },
];

/** How many requests a limit has refused, by the metrics. */
async function counted(limit: string, surface: string): Promise<number> {
  const { body } = await metrics.text();
  const series = `{tenant="a.test",limit="${limit}",surface="${surface}"} `;
  return Number(
    body
      .split('\n')
      .find((line) => line.includes(series))
      ?.split(series)[1] ?? 0,
  );
}

async function reached(): Promise<readonly (string | null)[]> {
  const events = await auditEvents(service);
  return events.filter(({ event }) => event === 'limit_reached').map(({ reason }) => reason);
}

describe('a limit that is reached', () => {
  it.each(cases)(
    'W11: $limit, $surface: each refusal is counted, and one row a window is written',
    async ({ limit, surface, setting, request }) => {
      await setLimits(service, a, { ...unlimited, ...setting });
      let index = 0;
      const next = () => {
        index += 1;
        return request(index);
      };
      const untilRefused = async (): Promise<Answer> => {
        for (let sent = 0; sent < 40; sent += 1) {
          const answer = await next();
          if (answer.status === 429) return answer;
        }
        throw new Error('nothing was refused');
      };
      const before = { counted: await counted(limit, surface), rows: (await reached()).length };
      const refused = await untilRefused();
      for (let sent = 0; sent < 2; sent += 1) expect((await next()).status).toBe(429);
      expect(await counted(limit, surface)).toBe(before.counted + 3);
      const rows = (await reached()).slice(before.rows);
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatch(/^too many /);
      // Codes that are pending stay so for longer than a TV is told to wait.
      service.clock.advance(Math.max(16 * minute, Number(refused.headers['retry-after']) * 1_000));
      await untilRefused();
      expect(await counted(limit, surface)).toBe(before.counted + 4);
      expect(await reached()).toHaveLength(before.rows + 2);
    },
  );

  it('is told by names of ours alone', async () => {
    const { body } = await metrics.text();
    const series = body.split('\n').filter((line) => line.startsWith('memberdoor_limit_refusals_total{'));
    expect(series.length).toBeGreaterThan(0);
    for (const line of series)
      expect(line).toMatch(/\{tenant="(?:[a-z.]+|none)",limit="[a-z_]+",surface="[a-z_]+"\} \d+$/);
    expect(body).not.toContain('example.test');
  });
});

describe('the first refusal of a window', () => {
  it('is told from the others, for each limit, tenant and key', () => {
    const time = { now: 1_000 };
    const isFirst = createFirstOfWindow(() => time.now);
    const limit = { name: 'sign_ins', key: 'x', wait: minute } as const;
    expect([isFirst('a', limit), isFirst('a', limit)]).toEqual([true, false]);
    expect([isFirst('b', limit), isFirst(null, limit), isFirst('a', { ...limit, key: 'y' })]).toEqual([
      true,
      true,
      true,
    ]);
    expect(isFirst('a', { ...limit, name: 'sign_ups' })).toBe(true);
    time.now += minute - 1;
    expect(isFirst('a', limit)).toBe(false);
    time.now += 1;
    expect(isFirst('a', limit)).toBe(true);
  });

  it('Z18: is found again when the clock is set back', () => {
    const time = { now: 60 * minute };
    const isFirst = createFirstOfWindow(() => time.now);
    const limit = { name: 'sign_ins', key: 'x', wait: minute } as const;
    isFirst('a', limit);
    time.now = 0;
    expect([isFirst('a', limit), isFirst('a', limit)]).toEqual([true, false]);
  });
});
