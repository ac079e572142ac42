import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressOf, newAddressOf } from '../../../../src/http/admin/portal/addresses.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';
import {
  filledIn,
  mainOf,
  makeAdmin,
  newAdmin,
  type PortalVisitor,
  portalOf,
} from '../../../support/operators/portal.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';
import { token } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
/** An administrator of tenant A, and one of the whole service at home on it. */
let tina: PortalVisitor;
let sam: PortalVisitor;
/** A member of tenant B. */
let foreign: string;

const home = `/admin/tenants/${hosts.a}`;
const abroad = `/admin/tenants/${hosts.b}`;

beforeAll(async () => {
  foreign = await makeAdmin(service, hosts.b, 'foreign@example.test', 'member');
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
  sam = await newAdmin(service, hosts.a, 'sam@example.test', 'system_admin');
});
// What is denied on purpose must not add up to the limit of a minute.
beforeEach(() => service.clock.advance(5_000));

/** A page without what differs each time. */
const same = ({ text }: Answer) =>
  text.replaceAll(/name="token" value="[^"]*"/g, 'TOKEN').replaceAll(/Reference: \w+/g, 'REFERENCE');

/** What another tenant's things are called in addresses. */
const others = () => ({
  tenant: hosts.b,
  clientId: 'conf1',
  memberId: foreign,
  passkeyId: 'any',
  linkedAccountId: 'any',
  packageId: 1,
  productId: 1,
  subscriptionId: 1,
  channelId: 'news',
  consentId: 'newsletter',
  key: 'seats',
  kid: 'any',
  number: 1,
  banned: 'any',
  registrationTokenId: 'any',
  secretId: 'any',
  sessionId: 'any',
  signInId: 'any',
  tokenId: 'any',
  importId: 'any',
  webhookId: 'any',
  deliveryId: 1,
  seatId: 'any',
  identifier: 'any',
});

it('pages 21: the way to a page names what is above it, and ends with the page itself', async () => {
  const wayTo = async (path: string) => {
    const { text } = await tina.send(`${home}/${path}`);
    const [, way = ''] = /<nav class="crumbs".*?>(.*?)<\/nav>/s.exec(text) ?? [];
    return [...way.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, label]) => label);
  };
  const [{ id, fullName } = { id: '', fullName: '' }] = (
    (await run(service, 'members.list', { tenant: hosts.a })) as {
      readonly members: readonly { readonly id: string; readonly fullName: string }[];
    }
  ).members;
  expect(await wayTo('members')).toEqual([]);
  expect(await wayTo('clients/+create')).toEqual(['Clients', 'New']);
  expect(await wayTo(`members/${id}`)).toEqual(['Members', fullName]);
  expect(await wayTo(`members/${id}/access`)).toEqual(['Members', fullName, 'Access now']);
  expect(await wayTo(`members/${id}/+delete`)).toEqual(['Members', fullName, 'Delete']);
});

it('pages 21: the page of a thing with a name tells its id last', async () => {
  const input = {
    tenant: hosts.a,
    name: 'CRM',
    url: 'https://crm.example.test/hook',
    types: ['member.created'],
  };
  const { webhookId } = await run<{ webhookId: string }>(service, 'webhooks.create', input);
  const text = mainOf(await tina.send(`${home}/webhooks/${webhookId}`));
  const told = [...text.matchAll(/<dt>([^<]*)<\/dt>/g)].map(([, label]) => label);
  expect([told[0], told.at(-1)]).toEqual(['Name', 'Webhook ID']);
});

it('pages 21: every list of a tenant has its place in the rail, so none is left for "More"', async () => {
  const { status, text } = await sam.send(`${home}/clients`);
  expect(status, text).toBe(200);
  expect(text).toMatch(/Integrations.*API tokens.*Webhooks.*Imports/s);
  expect(text).not.toContain('>More<');
});

describe('A17: a tenant’s administrator', () => {
  const ofTenants = operations.filter(({ path }) => path.startsWith('/tenants/{tenant}'));

  it.each(ofTenants.map((operation) => ({ name: operation.name, operation })))(
    '$name of another tenant is 404, as of one that is not there',
    async ({ operation }) => {
      const nowhere = { ...others(), tenant: 'nowhere.test' };
      for (const find of [addressOf, newAddressOf]) {
        const [there, none] = [find(operation, others()), find(operation, nowhere)];
        if (there === null || none === null) continue;
        const [known, unknown] = [await tina.send(there), await tina.send(none)];
        expect([known.status, unknown.status]).toEqual([404, 404]);
        expect(same(known)).toBe(same(unknown));
        expect(known.text).not.toContain('Tenant B');
      }
    },
  );

  it.each(ofTenants.filter(({ acts }) => acts).map((operation) => ({ name: operation.name, operation })))(
    '$name sent to another tenant is 404, and changes nothing',
    async ({ operation }) => {
      const before = await allRows(service, ['auditEvents', 'sessions']);
      const events = (await auditEvents(service)).length;
      const body = filledIn(await tina.send(`${home}/+change`));
      body.set('confirmed', 'yes');
      const answer = await tina.send(String(addressOf(operation, others())), { body });
      expect(answer.status).toBe(404);
      expect(await allRows(service, ['auditEvents', 'sessions'])).toEqual(before);
      expect((await auditEvents(service)).slice(events)).toMatchObject([
        { event: 'admin_denied', actorKind: 'admin', result: 'refused' },
      ]);
    },
  );

  it('finds nothing of the whole service, and no link to it', async () => {
    const pages = ['/admin/tokens', '/admin/audit', '/admin/audit/export', '/admin/tenants/+create'];
    for (const path of [
      ...pages,
      `${home}/+disable`,
      `${home}/+set-stage`,
      `${home}/clients/conf1/+device-flow`,
    ]) {
      expect((await tina.send(path)).status, path).toBe(404);
    }
    const page = await tina.send(home);
    for (const path of [...pages, `${home}/+disable`]) expect(page.text).not.toContain(`"${path}"`);
    expect((await sam.send('/admin/tokens')).status).toBe(200);
  });

  it('sees the own tenant alone in the list of tenants', async () => {
    const page = await tina.send('/admin/tenants');
    expect([page.text.includes('Tenant A'), page.text.includes('Tenant B')]).toEqual([true, false]);
    expect((await sam.send('/admin/tenants')).text).toContain('Tenant B');
  });

  it('opens everything with the id of the tenant in the place of its host', async () => {
    const id = service.tenants.byHost(hosts.a)?.id;
    expect((await tina.send(`/admin/tenants/${id}/clients`)).status).toBe(200);
    expect((await tina.send(`/admin/tenants/${service.tenants.byHost(hosts.b)?.id}`)).status).toBe(404);
  });

  it('makes no administrator of the whole service, and reads why', async () => {
    const answer = await tina.submit(`${home}/members/+create`, {
      fullName: 'Too much',
      email: 'much@example.test',
      password: 'kvist og eld i skogen',
      userType: 'system_admin',
    });
    expect(answer.status).toBe(422);
    expect(mainOf(answer)).toContain('A system_admin is for those who can do all that one can.');
  });
});

it('a system administrator opens every tenant from the own one', async () => {
  const page = await sam.send(abroad);
  expect(page.status).toBe(200);
  expect(mainOf(page)).toContain('Tenant B');
  expect((await sam.submit(`${abroad}/+change`, { passwordLength: '14' })).headers.location).toBe(abroad);
  expect(service.tenants.byHost(hosts.b)?.passwordLength).toBe(14);
  expect((await portalOf(service, hosts.a, 'sam@example.test')).cookies.size).toBe(2);
});

describe('a client’s page', () => {
  it('has the last failed requests with the reason in words', async () => {
    const wrong = await token(service, hosts.a, {
      grant_type: 'refresh_token',
      client_id: 'conf2',
      client_secret: 'not the secret',
      refresh_token: 'x',
    });
    expect(wrong.status).toBe(401);
    await service.store.transaction((tx) =>
      tx
        .insertInto('auditEvents')
        .values({
          at: service.clock.now(),
          tenantId: String(service.tenants.byHost(hosts.a)?.id),
          event: 'authorization_refused',
          actorKind: 'client',
          actorId: 'conf2',
          target: null,
          clientId: 'conf2',
          address: '192.0.2.9',
          result: 'refused',
          reason: 'the redirect_uri is not registered',
        })
        .execute(),
    );
    const page = mainOf(await tina.send(`${home}/clients/conf2`));
    expect(page).toContain('the redirect_uri is not registered');
    expect(page).toContain('192.0.2.9');
    expect(page).toContain('authorization refused');
  });

  it('shows the device flow at the stage tenant and here, and refuses production first', async () => {
    await run(service, 'tenants.setStage', { tenant: hosts.a, stageTenant: hosts.b });
    await run(service, 'clients.setDeviceFlow', { tenant: hosts.b, clientId: 'nodev', enabled: false });
    const page = mainOf(await sam.send(`${home}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(page).toMatch(/<h3>Stage<\/h3>.*b\.test.*off.*<h3>Production<\/h3>.*a\.test.*off/);
    const path = `${home}/clients/nodev/device-flow/+set-device-flow`;
    const refused = await sam.submit(path, { enabled: 'true' });
    expect(refused.status).toBe(422);
    expect(mainOf(refused)).toContain('not on at the stage tenant');
    await sam.submit(`${abroad}/clients/nodev/device-flow/+set-device-flow`, { enabled: 'true' });
    expect((await sam.submit(path, { enabled: 'true' })).status).toBe(303);
    const after = mainOf(await sam.send(`${home}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(after).toMatch(/<h3>Stage<\/h3>.*flag on.*<h3>Production<\/h3>.*flag on/);
    const atStage = mainOf(await sam.send(`${abroad}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(atStage).toMatch(/<h3>Stage<\/h3>.*b\.test.*<h3>Production<\/h3>.*a\.test/);
    // An administrator of this tenant alone sees what the stage says, and has no way to change it.
    const before = (await auditEvents(service)).length;
    const own = mainOf(await tina.send(`${home}/clients/nodev`)).replaceAll(/\s+/g, ' ');
    expect(own).toMatch(/<h3>Stage<\/h3> <p><bdi>b\.test<\/bdi><\/p> <p><span class="flag on">on/);
    expect((await auditEvents(service)).length).toBe(before);
  });
});
