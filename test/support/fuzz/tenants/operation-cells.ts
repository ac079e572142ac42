import { expect } from 'vitest';
import { operations } from '../../../../src/operations/admin/index.ts';
import type { Operation } from '../../../../src/operations/admin/operation.ts';
import { adminOf, rehearse, tokenOf } from '../../operators/desk.ts';
import { examples } from '../../operators/examples.ts';
import type { World } from '../../operators/world.ts';
import type { TestService } from '../../service.ts';

type Input = Readonly<Record<string, unknown>>;

/** Fields by which an input names a thing of the tenant, beside those of its path. */
const naming = [
  'memberId',
  'packageId',
  'productIds',
  'clientId',
  'signInId',
  'sessionId',
  'stageTenant',
  'secretId',
];

/** Where a new thing gets the id that its tenant chooses: another tenant's is as good as any. */
const ownChoice = [
  'channels.define.channelId',
  'consents.define.consentId',
  'properties.define.key',
  'clients.create.clientId',
];

/** One field of one operation, which names something. */
export interface Naming {
  readonly operation: Operation;
  readonly field: string;
}

export const namings: readonly Naming[] = operations.flatMap((operation) => {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  const named = naming.filter((name) => name in operation.input.properties);
  return [...new Set([...inPath, ...named, ...('tenant' in operation.input.properties ? ['tenant'] : [])])]
    .filter((field) => !ownChoice.includes(`${operation.name}.${field}`))
    .map((field) => ({ operation, field }));
});

/** The ids of a second world, so that none of them is one of the first too. */
export const otherNames = (world: World): World => ({
  ...world,
  fresh: (word) => {
    const name = world.fresh(word);
    return word === 'invoice' ? `invoice-${Number(name.replace('invoice-', '')) + 700}` : `other-${name}`;
  },
});

const inputs = new WeakMap<World, Map<string, Promise<Input>>>();

function inputOf(world: World, { name, input }: Operation): Promise<Input> {
  const known = inputs.get(world) ?? new Map<string, Promise<Input>>();
  inputs.set(world, known);
  const own = 'tenant' in input.properties ? { tenant: world.host } : {};
  const made =
    known.get(name) ?? Promise.resolve(examples[name]?.(world)).then((example) => ({ ...own, ...example }));
  known.set(name, made);
  return made;
}

/** A value of the same kind that names nothing. */
function madeUp(value: unknown): unknown {
  if (typeof value === 'number') return 987_654_321;
  if (Array.isArray(value)) return value.map(madeUp);
  return 'nobody-s';
}

/** What an operation says where a tenant's administrator, or its token, names a thing in this way. */
async function said(
  service: TestService,
  world: World,
  operation: Operation,
  input: Input,
  isToken: boolean,
) {
  const actor = isToken ? tokenOf(service, world.host) : adminOf(service, world.host);
  const { refused, answer } = await rehearse(service, operation, actor, input);
  return { kind: refused?.kind ?? null, problems: refused?.problems ?? [], answer };
}

/** Names a thing of one tenant to the operation of the other: it says what it says of a thing that is not there. */
export async function expectForeignThing(
  { operation, field }: Naming,
  here: World,
  elsewhere: World,
  isToken: boolean,
): Promise<void> {
  const { service } = here;
  const own = await inputOf(here, operation);
  const theirs = await inputOf(elsewhere, operation);
  // Where the example leaves the field out, one of the other tenant is named by what it would be.
  const known: Input = {
    memberId: elsewhere.memberId,
    packageId: elsewhere.packageId,
    clientId: 'other-client-1',
    stageTenant: elsewhere.host,
  };
  const foreign = theirs[field] ?? known[field];
  expect(foreign, `${operation.name} has no example of ${field}`).toBeDefined();
  const of = async (value: unknown) => {
    const heard = JSON.stringify(await said(service, here, operation, { ...own, [field]: value }, isToken));
    return [value].flat().reduce((text: string, one) => text.replaceAll(String(one), '<value>'), heard);
  };
  expect(await of(foreign)).toBe(await of(madeUp(foreign)));
}
