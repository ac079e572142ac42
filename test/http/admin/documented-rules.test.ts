import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/http/admin/api-openapi.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { partOf, resolved } from '../../support/openapi.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let token: string;

beforeAll(async () => {
  token = await adminToken(service);
});
// What fails on purpose must not add up to the limit of a minute.
beforeEach(() => service.clock.advance(60_000));

interface Item {
  readonly parameters: readonly { readonly name: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

type PathItem = Readonly<Record<string, Item>> & Pick<Item, 'parameters'>;

const document = openApiDocument() as { readonly paths: Readonly<Record<string, PathItem>> };
const { paths } = resolved(document);
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** An operation as the document describes it, and as it is called. */
function described(name: string, input: Readonly<Record<string, unknown>>) {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no ${name}`);
  const { method } = operation;
  const whole = paths[`/api/v1/admin${operation.path}`];
  const own = whole?.[method.toLowerCase()];
  if (own === undefined) throw new Error(`${name} is not described`);
  const item = { ...own, parameters: [...(whole?.parameters ?? []), ...(own.parameters ?? [])] };
  const named = item.parameters.map((parameter) => parameter.name);
  const body = Object.fromEntries(Object.entries(input).filter(([field]) => !named.includes(field)));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(String(input[field])),
  );
  return { item, body, call: { method, path, body, token } };
}

/** Whether an input is what the document describes. */
function isAsDescribed(name: string, input: Readonly<Record<string, unknown>>): boolean {
  const { item, body } = described(name, input);
  const bodySchema = item.requestBody?.content['application/json']?.schema ?? {};
  return (
    ajv.validate(bodySchema, body) &&
    item.parameters.every((one) => input[one.name] === undefined || ajv.validate(one.schema, input[one.name]))
  );
}

const tenant = 'a.test';
const client = { tenant, clientId: 'new', name: 'New', type: 'public' };
const offer = {
  tenant,
  name: 'Platinum',
  price: { amount: 9_900, currency: 'NOK' },
  period: { unit: 'month', count: 1 },
  payment: 'invoice',
  productIds: [],
};
const member = { tenant, fullName: 'Eli', email: 'eli@example.com', password: 'kvist og eld i skogen' };
const channel = { tenant, channelId: 'new', name: 'New', productIds: [] };
const consent = { tenant, consentId: 'new', name: 'New' };

describe('what the document of the admin API describes, the service takes; what it does not, the service refuses', () => {
  it.each<[string, Record<string, unknown>, readonly Record<string, unknown>[]]>([
    [
      'clients.create',
      client,
      [
        { name: '' },
        { name: ' ' },
        { name: 'a\nb' },
        { name: 'a\u0085' },
        { name: 'x'.repeat(61) },
        { clientId: 'a b' },
        { clientId: '' },
      ],
    ],
    [
      'tenants.change',
      { tenant, name: 'Aurora' },
      [
        { name: '' },
        { name: 'a\u0000' },
        { brandColor: 'red' },
        { limits: { pendingDeviceCodes: 100_001 } },
        { limits: { signUpsPerAddressAndHour: 1_000_000_001 } },
        { passwordLength: 7 },
      ],
    ],
    ['tenants.change', { tenant, limits: { pendingDeviceCodes: 100_000 } }, []],
    ['products.create', { tenant, name: 'News again' }, [{ name: '' }, { name: 'a\u0007' }]],
    [
      'packages.create',
      offer,
      [
        { name: 'x'.repeat(101) },
        { description: 'a\u0000b' },
        { price: { amount: 1, currency: 'QQQ' } },
        { price: { amount: -1, currency: 'NOK' } },
      ],
    ],
    ['channels.define', channel, [{ channelId: 'A B' }, { name: '' }]],
    ['consents.define', consent, [{ consentId: '-a' }, { name: '\t' }]],
    ['properties.define', { tenant, key: 'colour', type: 'string' }, [{ key: '1x' }]],
    [
      'members.create',
      member,
      [{ fullName: '' }, { fullName: 'a\u0001b' }, { nickName: 'a\nb' }, { password: '7 chars' }],
    ],
  ])('%s', async (name, good, wrongs) => {
    for (const wrong of wrongs) {
      const input = { ...good, ...wrong };
      const { status } = await callApi(service, described(name, input).call);
      expect({ wrong, isDescribed: isAsDescribed(name, input), status }).toEqual({
        wrong,
        isDescribed: false,
        status: 400,
      });
    }
    const { status } = await callApi(service, described(name, good).call);
    expect({ isDescribed: isAsDescribed(name, good), status }).toEqual({ isDescribed: true, status: 200 });
  });
});

describe('a tenant file', () => {
  const file = { method: 'GET', path: '/tenants/a.test/file' };

  it('answers as JSON where that is asked for, and as YAML where not, which the document says', async () => {
    const json = await callApi(service, { ...file, path: `${file.path}?format=json`, token });
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json.json()).toMatchObject({ tenants: [{ issuer: 'https://a.test' }] });
    for (const path of [file.path, `${file.path}?format=yaml`]) {
      const yaml = await callApi(service, { ...file, path, token });
      expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    }
    const { item } = described('tenantFiles.export', { tenant });
    const schema = partOf(resolved(document), '#/components/schemas/TenantFile');
    expect(item.responses['200']?.content).toEqual({
      'application/yaml; charset=utf-8': { schema },
      'application/json; charset=utf-8': { schema },
    });
  });

  it('of too many members is 409, which the document says', async () => {
    expect(described('serviceTenantFiles.export', {}).item.responses).toHaveProperty('409');
    expect(described('tenants.read', { tenant }).item.responses).not.toHaveProperty('409');
  });
});
