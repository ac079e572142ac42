import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Actor, permissions } from '../../../src/core/operators/permission.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import type { Operation } from '../../../src/operations/admin/operation.ts';
import { tenantFileSchema } from '../../../src/operations/tenant-file/tenant-file.ts';
import {
  adminOf,
  operator,
  type Rehearsal,
  refusal,
  rehearse,
  tokenOf,
} from '../../support/operators/desk.ts';
import { examples } from '../../support/operators/examples.ts';
import { beginWorld, type World } from '../../support/operators/world.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';

const host = 'world.test';
const everyOperation = operations.map((operation) => ({ name: operation.name, operation }));

const service = useService({ data: 'security' });
let world: World;

beforeAll(async () => {
  world = await beginWorld(service, host);
});

const namesTenant = ({ input }: Operation) => input.required?.includes('tenant') === true;

const made = new Map<string, Promise<Readonly<Record<string, unknown>>>>();

/** The example of an operation, on the tenant of the world: made once, since what is done to it is taken back. */
function exampleOf(operation: Operation): Promise<Readonly<Record<string, unknown>>> {
  const known = made.get(operation.name) ?? makeExample(operation);
  made.set(operation.name, known);
  return known;
}

async function makeExample({ name, input }: Operation): Promise<Readonly<Record<string, unknown>>> {
  const example = await examples[name]?.(world);
  if (example === undefined) throw new Error(`there is no example of ${name}`);
  // The next key of the other algorithm is published by the example of keys.retire.
  const other = name === 'keys.rotate' ? { algorithm: 'RS256' } : {};
  return 'tenant' in input.properties ? { tenant: host, ...example, ...other } : example;
}

/** Other formats are for the faces alone. */
const ajv = new Ajv2020({ strict: false, logger: false, formats: { 'date-time': true } });

/** What came of it, in one word. */
const outcomeOf = ({ refused }: Rehearsal) => refused?.kind ?? 'done';

describe('the table of operations', () => {
  it('names each operation once, by a noun and a verb, at an address of its own', () => {
    const names = operations.map(({ name }) => name);
    const addresses = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/);
  });

  it.each(everyOperation)('$name describes every field, and has those of its path', ({ operation }) => {
    const { input, output, path } = operation;
    for (const field of described({ input, output })) expect(field).toMatchObject({ description: /./ });
    for (const [, field] of path.matchAll(/\{(\w+)\}/g)) expect(input.required).toContain(field);
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    // Reading has no side effect; a file to compare comes in a body and changes nothing either.
    if (operation.method === 'GET') expect(operation.acts).toBe(false);
    if (/\.(?:create|add)/.test(operation.name)) expect(operation.made).toBeDefined();
  });
});

/** Every field of schemas, however deep. */
function described(schemas: Readonly<Record<string, object>>): readonly object[] {
  return Object.values(schemas).flatMap((schema) => {
    const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
    const fields = Object.values(properties);
    return [...fields, ...described(properties), ...(items === undefined ? [] : described({ items }))];
  });
}

/** All kinds of callers, and what each is answered by an operation on a tenant and by one on the service. */
const callers: readonly {
  readonly who: string;
  readonly actor: (operation: Operation) => Actor;
  readonly hears: Readonly<Record<'tenant' | 'system', string>>;
}[] = [
  { who: 'the operator', actor: () => operator, hears: { tenant: 'done', system: 'done' } },
  {
    who: 'a system administrator',
    actor: () => adminOf(service, 'b.test', true),
    hears: { tenant: 'done', system: 'done' },
  },
  {
    who: 'an administrator of the tenant',
    actor: () => adminOf(service, host),
    hears: { tenant: 'done', system: 'denied' },
  },
  {
    who: 'A17: an administrator of another tenant',
    actor: () => adminOf(service, 'b.test'),
    hears: { tenant: 'unknown', system: 'denied' },
  },
  {
    who: 'a token of every tenant',
    actor: () => tokenOf(service, null),
    hears: { tenant: 'done', system: 'done' },
  },
  {
    who: 'a token of every tenant that may do all but this',
    actor: ({ permission }) => tokenOf(service, null, but(permission)),
    hears: { tenant: 'denied', system: 'denied' },
  },
  {
    who: 'a token of the tenant',
    actor: () => tokenOf(service, host),
    hears: { tenant: 'done', system: 'denied' },
  },
  {
    who: 'a token of the tenant that may do all but this',
    actor: ({ permission }) => tokenOf(service, host, but(permission)),
    hears: { tenant: 'denied', system: 'denied' },
  },
  {
    who: 'A17: a token of another tenant',
    actor: () => tokenOf(service, 'b.test'),
    hears: { tenant: 'unknown', system: 'denied' },
  },
];

/** What acts on something of a tenant, or makes it, says in the audit what that was. */
const namesThing = ({ path, made }: Operation) => made !== undefined || /\{(?!tenant\})/.test(path);

const but = (permission: string) => permissions.filter((one) => one !== permission);

/** The answer to a caller: a list of all tenants holds the caller's own ones, so no tenant is unknown then. */
function expected(operation: Operation, hears: Readonly<Record<'tenant' | 'system', string>>): string {
  const { reach } = operation;
  if ('tenant' in operation.input.properties && hears.tenant === 'unknown') return 'unknown';
  return reach === 'tenant' && !namesTenant(operation) && hears.tenant === 'unknown' ? 'done' : hears[reach];
}

describe('who may', () => {
  it.each(everyOperation)(
    '$name: only a caller with the tenant and the permission may act, and each act is one line of the audit',
    async ({ operation }) => {
      const input = await exampleOf(operation);
      for (const { who, actor: actorOf, hears } of callers) {
        const actor = actorOf(operation);
        const rehearsal = await rehearse(service, operation, actor, input);
        const outcome = outcomeOf(rehearsal);
        expect(outcome, `${who}: ${rehearsal.refused?.message}`).toBe(expected(operation, hears));
        const isAudited = outcome === 'done' ? operation.acts || operation.audited === true : true;
        // What the act brought about, such as a session that ended, has lines of its own.
        const acts = rehearsal.events.filter(({ event }) => /^admin_/.test(String(event)));
        expect(acts, who).toHaveLength(isAudited ? 1 : 0);
        if (isAudited) {
          expect(acts[0], who).toMatchObject({
            event: outcome === 'done' ? 'admin_acted' : 'admin_denied',
            result: outcome === 'done' ? 'done' : 'refused',
            actorKind: actor.kind,
            actorId: 'tokenId' in actor ? actor.tokenId : 'memberId' in actor ? actor.memberId : null,
            address: '192.0.2.7',
            reason: expect.stringContaining(operation.name),
            ...(outcome === 'done' && namesThing(operation) ? { target: expect.any(String) } : {}),
          });
        }
      }
    },
  );

  it.each(everyOperation)(
    '$name answers as its schema says, and the audit holds no secret',
    async ({ operation }) => {
      const input = await exampleOf(operation);
      const { answer, refused, events } = await rehearse(service, operation, operator, input);
      expect(refused?.problems).toBeUndefined();
      const validate = ajv.compile(operation.output);
      expect(validate(answer), JSON.stringify(validate.errors)).toBe(true);
      const secret = answer !== null && 'secret' in answer ? answer.secret : null;
      if (secret !== null)
        expect(secret).toMatch(/^(?:(?:mda_)?[A-Za-z0-9_-]{43}|whsec_[A-Za-z0-9+/]{43}=)$/);
      expect(JSON.stringify(events)).not.toContain(secret ?? 'no secret');
    },
  );
});

/** Operations that name something of the tenant, but for those that make it where it is not there. */
const ofThings = everyOperation.filter(
  ({ name, operation }) => /\}.*\{/.test(operation.path) && !name.endsWith('.define'),
);

/** Everything that is stored once the examples are made. */
async function storedBefore() {
  for (const operation of operations) await exampleOf(operation);
  return allRows(service);
}

describe('A17: what belongs to another tenant', () => {
  let before: Awaited<ReturnType<typeof allRows>>;
  beforeAll(async () => {
    before = await storedBefore();
  });

  it.each(ofThings)('is unknown to $name', async ({ name, operation }) => {
    const input = { ...(await exampleOf(operation)), tenant: 'b.test' };
    expect((await refusal(service, name, input)).kind).toBe('unknown');
  });

  it('is after all of this as it was', async () => {
    expect(await allRows(service)).toEqual(before);
  });
});

it('A18: every field that holds a secret says so in its schema: faces hide it, and the audit tells no value', () => {
  const unmarked = operations.flatMap(({ name, input, output }) =>
    [input, output as typeof input].flatMap(({ properties = {} }) =>
      Object.entries(properties).flatMap(([field, schema]) =>
        /(?:password|secret)$/i.test(field) && !('secret' in schema) ? [`${name}: ${field}`] : [],
      ),
    ),
  );
  expect(unmarked).toEqual([]);
});

/** A value that no schema takes in the place of this one. */
const misshapen = (schema: object) => {
  const { type } = schema as { type?: unknown };
  return type === 'object' ? 'text' : { no: 'such' };
};

it('the schemas of all inputs and of tenant files are schemas, which no start checks', () => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  const schemas = [tenantFileSchema, ...operations.map(({ input }) => input)];
  expect(schemas.filter((schema) => ajv.validateSchema(schema) !== true)).toEqual([]);
});

describe('an input of the wrong shape', () => {
  let before: Awaited<ReturnType<typeof allRows>>;
  beforeAll(async () => {
    before = await storedBefore();
  });

  it.each(everyOperation)('is refused by $name with every problem', async ({ name, operation }) => {
    const good = await exampleOf(operation);
    const { properties, required = [] } = operation.input;
    const own = Object.keys(properties).filter((field) => field !== 'tenant');
    const problemsOf = async (input: object) => {
      const { kind, problems } = await refusal(service, name, input);
      expect(kind).toBe('invalid');
      return problems;
    };
    expect(await problemsOf({ ...good, surplus: 'x' })).toEqual([
      expect.stringMatching(/^surplus is not known/),
    ]);
    for (const field of own) {
      const shape = { ...good, [field]: misshapen(properties[field] ?? {}) };
      expect((await problemsOf(shape)).join(), field).toContain(field);
    }
    const missing = required.filter((field) => field !== 'tenant');
    if (missing.length > 0) {
      const without = Object.fromEntries(Object.entries(good).filter(([field]) => !missing.includes(field)));
      expect(await problemsOf(without)).toEqual(missing.map((field) => `${field} is missing`));
    }
  });

  it('changes nothing', async () => {
    expect(await allRows(service)).toEqual(before);
  });
});
