import { beforeAll, describe, expect, it } from 'vitest';
import { hosts } from '../../../../support/fixtures.ts';
import { auditEvents } from '../../../../support/operators/api.ts';
import { run, tenantIdOf } from '../../../../support/operators/desk.ts';
import {
  filledIn,
  makeAdmin,
  type PortalVisitor,
  portalOf,
  signInToPortal,
} from '../../../../support/operators/portal.ts';
import { useService } from '../../../../support/use-service.ts';
import { visitor } from '../../../../support/visitor.ts';

const { a, b } = hosts;
const tina = 'tina@example.test';
const home = `/admin/tenants/${a}`;

const service = useService({ data: 'security' });
let portal: PortalVisitor;
let memberId: string;

beforeAll(async () => {
  memberId = await makeAdmin(service, a, tina);
  portal = await portalOf(service, a, tina);
});

/** What was written down while something was done. */
async function written(work: () => Promise<unknown>) {
  const before = (await auditEvents(service)).length;
  await work();
  return (await auditEvents(service)).slice(before);
}

const byAdmin = () => ({
  tenantId: tenantIdOf(service, a),
  actorKind: 'admin',
  actorId: memberId,
  address: '127.0.0.1',
  result: 'refused',
});

describe('W11: what the portal refuses is in the audit, once', () => {
  it.each([
    ['a page that is only for administrators of all tenants', '/admin/tenants/+create'],
    ['a page of a thing that is not there', `${home}/clients/nobody`],
    ['a form of a thing that is not there', `${home}/clients/nobody/+disable`],
    ['a page of another tenant', `/admin/tenants/${b}/clients`],
    ['a form of another tenant', `/admin/tenants/${b}/+change`],
    ['a file of another tenant', `/admin/tenants/${b}/audit/export`],
    ['a list of the whole service', '/admin/tokens'],
    ['an address where nothing is', '/admin/nothing/here'],
  ])('%s', async (_what, path) => {
    const events = await written(async () => {
      expect((await portal.send(path)).status).toBe(404);
    });
    expect(events).toEqual([expect.objectContaining({ ...byAdmin(), event: 'admin_denied' })]);
  });

  it('the page that was asked for, by its pattern, and why', async () => {
    const [event] = await written(() => portal.send(`${home}/clients/nobody`));
    expect(event?.reason).toMatch(
      /^GET \/admin\/tenants\/:tenant\/clients\/:clientId: nothing of the portal/,
    );
    expect(event?.reason).not.toContain('nobody');
  });

  it('a form that is sent to a thing of another tenant', async () => {
    const path = `${home}/+change`;
    const body = filledIn(await portal.send(path));
    const events = await written(() => portal.send(`/admin/tenants/${b}/+change`, { body }));
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['admin_denied']));
    expect(events).toContainEqual(expect.objectContaining(byAdmin()));
  });

  it('A17: several entries of another tenant’s list, each of them left as it is', async () => {
    for (const act of ['members.disable', 'members.enable', 'members.signOutEverywhere']) {
      const token = String(filledIn(await portal.send(`${home}/members`)).get('token'));
      const body = new URLSearchParams({ token, act, entry: memberId, confirmed: 'yes' });
      const events = await written(async () => {
        expect((await portal.send(`/admin/tenants/${b}/members`, { body })).status).toBe(404);
      });
      expect(events).toMatchObject([{ ...byAdmin(), event: 'admin_denied' }]);
    }
    expect(service.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('several entries of a list whose address cannot be read', async () => {
    const token = String(filledIn(await portal.send(`${home}/members`)).get('token'));
    const body = new URLSearchParams({ token, act: 'members.enable', entry: memberId });
    const events = await written(async () => {
      expect((await portal.send(`${home}/members?sort=nothing`, { body })).status).toBe(400);
    });
    expect(events).toMatchObject([{ ...byAdmin(), event: 'form_refused' }]);
  });

  it('U14: a form without the token of its session', async () => {
    const events = await written(async () => {
      const answer = await portal.send(`${home}/+change`, { body: { name: 'X', token: 'forged' } });
      expect(answer.status).toBe(403);
    });
    expect(events).toEqual([expect.objectContaining({ ...byAdmin(), event: 'form_refused' })]);
  });

  it('U14: a form of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const events = await written(async () => {
      expect((await portal.send(`${home}/+change`, { body: { name: 'X' }, headers })).status).toBe(403);
    });
    expect(events).toMatchObject([{ event: 'form_refused', result: 'refused', address: '127.0.0.1' }]);
  });

  it('a form that cannot be read', async () => {
    const events = await written(async () => {
      const body = `name=${'x'.repeat(100_000)}`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await portal.send(`${home}/products/+create`, { body, headers })).status).toBe(413);
    });
    expect(events).toMatchObject([{ event: 'form_refused', result: 'refused' }]);
  });

  it('H7: a method that a page does not serve', async () => {
    for (const [method, path, pattern] of [
      ['PUT', `${home}/clients`, '/admin/tenants/:tenant/clients'],
      ['DELETE', '/admin/sign-in', '/admin/sign-in'],
    ] as const) {
      const events = await written(async () => {
        expect((await portal.send(path, { method })).status).toBe(405);
      });
      const reason = `${method} ${pattern}: a method that is not served`;
      expect(events).toMatchObject([{ event: 'admin_denied', result: 'refused', reason }]);
    }
  });

  it('a sign-in beyond the limit, each as refused, and the limit once', async () => {
    service.clock.advance(120_000);
    const browser = visitor(service, a);
    await written(async () => {
      for (let sent = 0; sent < 5; sent += 1) await signInToPortal(browser, tina, 'a wrong password');
    });
    const events = await written(async () => {
      for (let sent = 0; sent < 3; sent += 1) {
        const answer = await signInToPortal(browser, tina, 'a wrong password');
        expect(answer.status).toBe(429);
      }
    });
    const refused = { event: 'admin_sign_in_refused', result: 'refused', reason: 'too many failed sign-ins' };
    const limit = { event: 'limit_reached', result: 'refused', reason: 'too many failed sign-ins' };
    expect(events).toMatchObject([refused, limit, refused, refused]);
  });

  it('a flood of it stays within sixty rows a minute and one that says so', async () => {
    service.clock.advance(60_000);
    const events = await written(async () => {
      for (let sent = 0; sent < 70; sent += 1) await portal.send('/admin/nothing');
    });
    expect(events.filter(({ event }) => event === 'admin_denied')).toHaveLength(60);
    expect(events).toHaveLength(61);
  });

  it('nor does a flood of what operations deny: 429 after sixty a minute, in any browser, and one line of it', async () => {
    service.clock.advance(60_000);
    const other = await portalOf(service, a, tina);
    const statuses: number[] = [];
    const events = await written(async () => {
      for (let sent = 0; sent < 100; sent += 1) {
        const browser = sent % 2 === 0 ? portal : other;
        statuses.push((await browser.send(`/admin/tenants/${b}/members/nobody`)).status);
      }
      const last = await other.send(home);
      expect(last.status).toBe(429);
      expect(last.headers['retry-after']).toMatch(/^[1-9]\d?$/);
      expect(last.text).toContain('<title>Error: Too many refused requests');
    });
    expect(statuses).toEqual([...Array(60).fill(404), ...Array(40).fill(429)]);
    const reason = 'too many denied calls of one token of the admin API, or of one administrator';
    expect(events.map(({ event }) => event)).toEqual([...Array(60).fill('admin_denied'), 'limit_reached']);
    expect(events.at(-1)).toMatchObject({ result: 'refused', reason });
    service.clock.advance(60_000);
    expect((await other.send(home)).status).toBe(200);
  });

  it('and what was merely written wrongly is not', async () => {
    const named = { tenant: a, clientId: 'app', name: 'App', type: 'public' };
    await run(service, 'clients.create', named);
    const events = await written(async () => {
      const answer = await portal.submit(`${home}/+change`, { passwordLength: '3' });
      expect(answer.status).toBe(422);
    });
    expect(events).toEqual([]);
  });
});
