import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type LocalSocket, openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { listClients } from '../../../src/storage/clients/client.ts';
import { hosts } from '../../support/fixtures.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { command } from '../../support/operators/command.ts';
import { type FormValues, newAdmin, type PortalVisitor } from '../../support/operators/portal.ts';
import { applied } from '../../support/operators/tenant-file.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;
let token: string;
let sam: PortalVisitor;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  token = await adminToken(service);
  sam = await newAdmin(service, hosts.a, 'sam@example.test', 'system_admin');
});
afterAll(async () => {
  await socket?.close();
});

const issuer = `https://${hosts.a}`;
/** A client of another client_id each time. */
const newClient = () => ({ clientId: `client-${randomUUID()}`, name: 'New', kind: 'native_app' });

/** Whether a face took a client, or a tenant, with these facts. */
interface Face {
  readonly client: (facts: object) => Promise<boolean>;
  readonly tenant: (issuer: string) => Promise<boolean>;
}

/** Lists, as the forms of the portal take them: one entry a line. */
const inForm = (facts: object): FormValues =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, Array.isArray(value) ? value.join('\n') : value]),
  );
/** And as the command takes them: each behind its option. */
const inWords = (facts: object) =>
  Object.entries(facts).flatMap(([name, value]) => {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [value].flat().flatMap((one) => [option, String(one)]);
  });

const faces: Readonly<Record<string, Face>> = {
  'the portal': {
    client: async (facts) =>
      (await sam.submit(`/admin/tenants/${hosts.a}/clients/+create`, inForm({ ...newClient(), ...facts })))
        .status === 303,
    tenant: async (issuer) =>
      (await sam.submit('/admin/tenants/+create', { name: 'Again', issuer })).status === 303,
  },
  'the admin API': {
    client: async (facts) => {
      const path = `/tenants/${hosts.a}/clients`;
      return (await callApi(service, { path, token, body: { ...newClient(), ...facts } })).status === 200;
    },
    tenant: async (issuer) => {
      const body = { name: 'Again', issuer };
      return (await callApi(service, { path: '/tenants', token, body })).status === 200;
    },
  },
  'the command': {
    client: async (facts) => {
      const words = ['clients', 'create', '--tenant', hosts.a, ...inWords({ ...newClient(), ...facts })];
      return (await command(service.folder, words)).code === 0;
    },
    tenant: async (issuer) => {
      const words = ['tenants', 'create', '--name', 'Again', '--issuer', issuer];
      return (await command(service.folder, words)).code === 0;
    },
  },
  'a tenant file': {
    client: async (facts) => {
      const client = { ...newClient(), kind: undefined, type: 'public', ...facts };
      const tenant = { issuer, name: 'Tenant A', clients: [client] };
      return (await applied(service.folder, stringify({ tenants: [tenant] }))).code === 0;
    },
    // A file that describes a tenant that is there changes that one; twice in a file, it is told.
    tenant: async (again) => {
      const tenants = [
        { issuer, name: 'Tenant A' },
        { issuer: again, name: 'Again' },
      ];
      return (await applied(service.folder, stringify({ tenants }))).code === 0;
    },
  },
};

const uri = 'https://app.test/cb';
/** What cannot be registered, and what is wrong with it. */
const hostile: readonly (readonly [string, object])[] = [
  ...['code', 'state', 'iss', 'error', 'response'].map(
    (name) => [`a redirect_uri with ${name} in its query`, { redirectUris: [`${uri}?${name}=x`] }] as const,
  ),
  ['a redirect_uri with an escaped code', { redirectUris: [`${uri}?a=b&%63ode=x`] }],
  ['a redirect_uri of an app with state', { redirectUris: ['com.example.app://cb?state=x'] }],
  ['a redirect_uri of 3,000 characters', { redirectUris: [`${uri}/${'a'.repeat(3_000)}`] }],
  ['a logout address with state', { postLogoutRedirectUris: [`${uri}?state=x`] }],
  ['a logout address of 3,000 characters', { postLogoutRedirectUris: [`${uri}/${'a'.repeat(3_000)}`] }],
  ['a web origin of 3,000 characters', { webOrigins: [`https://${'a.'.repeat(1_500)}test`] }],
  ...['https://a;b.test', 'https://*.test', 'https://*', 'http://app.test', 'ftp://app.test'].map(
    (origin) => [`the web origin ${origin}`, { webOrigins: [origin] }] as const,
  ),
  ...[0x200b, 0x200d, 0xfeff, 0x2060, 0xe0041].map(
    (letter) =>
      [`a name with U+${letter.toString(16)}`, { name: `Ac${String.fromCodePoint(letter)}me` }] as const,
  ),
];

describe.each(Object.entries(faces))('%s', (name, face) => {
  it('takes a client and a tenant that are sound', async () => {
    const sound = { name: '❤️ Sound', redirectUris: [`${uri}?x=1`], webOrigins: ['http://localhost:3000'] };
    expect(await face.client(sound)).toBe(true);
    expect(await face.tenant(`https://${name.replaceAll(' ', '-')}.test`)).toBe(true);
  });

  it.each(hostile)('F7: %s cannot be registered', async (_what, facts) => {
    const before = await service.store.transaction((tx) => listClients(tx));
    expect(await face.client(facts)).toBe(false);
    expect(await service.store.transaction((tx) => listClients(tx))).toEqual(before);
  });

  it.each([`${issuer}.`, `${issuer}:443`, 'https://A.TEST', `${issuer}.:443/`, 'https://\uff41.test'])(
    'F19: %s is the address of a tenant that is there: it is taken',
    async (again) => {
      const before = service.tenants.all().length;
      expect(await face.tenant(again)).toBe(false);
      expect(service.tenants.all()).toHaveLength(before);
    },
  );
});

it('F7: what a client has had since before is no reason to refuse another change', async () => {
  const old = 'https://app.test/cb?code=old';
  await service.store.transaction((tx) =>
    tx
      .updateTable('clients')
      .set({ redirectUris: JSON.stringify([old]) })
      .where('clientId', '=', 'conf2')
      .execute(),
  );
  const path = `/tenants/${hosts.a}/clients/conf2`;
  const change = (body: object) => callApi(service, { method: 'PATCH', path, token, body });
  expect((await change({ name: 'Another name', redirectUris: [old] })).status).toBe(200);
  expect((await change({ redirectUris: [old, 'https://app.test/cb?code=new'] })).status).toBe(400);
});
