// The filter of the list of members: what its fields are, and what conditions they come to.
import { normaliseEmail, searchWords } from '../../../core/members/member.ts';
import { filterLimits } from '../../../core/operators/limits.ts';
import { mayGrant } from '../../../core/operators/permission.ts';
import { type Path, type Problem, problem } from '../../../core/problem.ts';
import { listEveryConsent } from '../../../storage/access/consent.ts';
import { listCustomProperties } from '../../../storage/access/subscription.ts';
import type {
  Comparison,
  Condition,
  MemberColumn,
  MemberFilter,
} from '../../../storage/members/member-filter.ts';
import * as s from '../../json-schema.ts';
import { denied, refuseIfAny } from '../../refusal.ts';
import { isTime } from '../../schema-fits.ts';
import { statusField as consentStatusField } from '../access/consents.ts';
import { packageIdField } from '../access/packages.ts';
import { subscriptionSchema } from '../access/subscriptions.ts';
import type { OnTenant } from '../define.ts';
import type { OperationContext } from '../operation.ts';
import { statusField, userTypeField } from './member.ts';

type Comparisons = Partial<Record<Comparison, unknown>>;

/** What a field can be held to: some of the comparisons. */
function comparing(description: string, of: s.Schema, names: readonly (Comparison | 'startsWith')[]) {
  const each = (name: string) =>
    name === 'in'
      ? { ...s.list('One of these', of), minItems: 1, maxItems: filterLimits.values, uniqueItems: true }
      : { ...of, description: words[name] ?? '' };
  return s.someOf(
    description,
    Object.fromEntries(names.map((name) => [name, each(name)])),
  ) as s.Schema<Comparisons>;
}

const words: Readonly<Record<string, string>> = {
  eq: 'It is this',
  ne: 'It is not this',
  gt: 'It is more, or later',
  gte: 'It is this, more or later',
  lt: 'It is less, or earlier',
  lte: 'It is this, less or earlier',
  startsWith: 'It begins with this',
};

const ranges = ['gt', 'gte', 'lt', 'lte'] as const;
const text = (words: string, ...examples: string[]) => ({
  ...s.text(words, ...examples),
  minLength: 1,
  maxLength: filterLimits.length,
});
const oneOfTexts = s.named(
  'OneOfTexts',
  comparing('It is one of these', text('An id', 'crm-4711'), ['eq', 'in']),
);
const span = s.named('TimeSpan', comparing('A time', s.time('A time'), ranges));
const property = { type: ['string', 'number'], maxLength: filterLimits.length } as s.Schema;
const { state } = subscriptionSchema.properties ?? {};

/** By the names of properties and of consents, which are the tenant's own. */
const byName = (description: string, of: s.Schema) => ({
  type: 'object',
  description,
  additionalProperties: of,
  maxProperties: filterLimits.named,
});

/** What each member of the list meets, all of it; in an address it is written `filter[updatedAt][gte]=…`. */
export const filterField = s.named('MemberFilter', {
  ...s.someOf('What each member meets, all of it: filter[FIELD][OPERATOR]=VALUE', {
    id: { ...oneOfTexts, description: 'The id' },
    email: comparing('The address to sign in with', text('An address', 'ada@example.com'), [
      'eq',
      'ne',
      'in',
      'startsWith',
    ]),
    emailVerified: comparing('Whether the address was proven', s.flag('Yes or no'), ['eq']),
    name: comparing('Words of the name', text('The beginnings of words', 'ada ber'), ['startsWith']),
    fullName: comparing('The full name', text('A name', 'Ada Nilsen'), ['eq', 'ne']),
    externalId: { ...oneOfTexts, description: 'What another system calls the member' },
    memberNumber: comparing('The number of the membership', s.wholeNumber('A number', 501_001), [
      'eq',
      'in',
      ...ranges,
    ]),
    status: comparing('Whether the member may sign in', statusField, ['eq', 'ne']),
    userType: comparing('What the member may do beyond being one', userTypeField, ['eq', 'ne', 'in']),
    createdAt: { ...span, description: 'When the account was made' },
    updatedAt: { ...span, description: 'When it was last changed' },
    subscription: s.someOf('One subscription of the member meets all of this', {
      packageId: comparing('Its package', packageIdField, ['eq', 'in']),
      state: comparing('Its state, as it was written down a minute ago at most', state ?? {}, ['eq', 'in']),
      properties: byName(
        'Its properties, by key',
        comparing('A property', property, ['eq', 'ne', ...ranges]),
      ) as s.Schema<Readonly<Record<string, Comparisons>>>,
    }),
    consents: byName(
      'What holds of consents, by id; who never answered has not agreed',
      comparing('A consent', consentStatusField, ['eq']),
    ) as s.Schema<Readonly<Record<string, { readonly eq?: 'accepted' | 'withdrawn' }>>>,
  }),
  examples: [{ updatedAt: { gte: '2026-01-31T12:00:00.000Z' } }],
});

type FilterInput = s.ValueOf<typeof filterField>;

const columns: Readonly<Record<string, MemberColumn>> = {
  id: 'id',
  email: 'normalisedEmail',
  emailVerified: 'emailVerified',
  fullName: 'fullName',
  externalId: 'externalId',
  memberNumber: 'memberNumber',
  status: 'status',
  userType: 'userType',
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
};

/** What a value is in its column. */
function stored(field: string, value: unknown): Condition<string>['value'] {
  if (Array.isArray(value)) return value.map((one) => stored(field, one) as string | number);
  if (field === 'email') return normaliseEmail(String(value));
  if (field === 'createdAt' || field === 'updatedAt') return Date.parse(String(value));
  if (typeof value === 'boolean') return Number(value);
  return value as string | number;
}

/**
 * The conditions of a filter.
 *
 * @throws OperationRefused where it asks for what the tenant does not have, or who asks may not see
 */
export async function readFilter(
  context: OnTenant<OperationContext>,
  input: FilterInput,
): Promise<MemberFilter> {
  const { name, subscription = {}, consents = {}, ...plain } = input;
  demandReading(context, input);
  const own: Condition<MemberColumn>[] = Object.entries(plain).flatMap(([field, said]) =>
    Object.entries(said ?? {}).flatMap(([comparison, value]) => {
      const column = columns[field];
      if (column === undefined || comparison === 'startsWith') return [];
      return [{ column, comparison: comparison as Comparison, value: stored(field, value) }];
    }),
  );
  const { packageId, state, properties = {} } = subscription;
  const held = Object.entries({ packageId, state }).flatMap(([column, said]) =>
    Object.entries(said ?? {}).map(([comparison, value]) => ({
      column: column as 'packageId' | 'state',
      comparison: comparison as Comparison,
      value: value as Condition<string>['value'],
    })),
  );
  const emailBegins = beginningIn(plain.email);
  const begins = beginningIn(name);
  const nameBegins = begins === undefined ? [] : searchWords(begins);
  const [asked, agreed] = [await propertiesIn(context, properties), await consentsIn(context, consents)];
  refuseIfAny([
    ...asked.problems,
    ...agreed.problems,
    ...(begins !== undefined && nameBegins.length === 0
      ? [problem(['filter', 'name', 'startsWith'], 'empty')]
      : []),
  ]);
  const count = own.length + held.length + asked.found.length + agreed.found.length + nameBegins.length;
  refuseIfAny(
    count > filterLimits.conditions ? [problem('filter', 'too_many', { most: filterLimits.conditions })] : [],
  );
  return {
    own,
    nameBegins,
    ...(emailBegins === undefined ? {} : { emailBegins: normaliseEmail(emailBegins) }),
    subscription: held,
    properties: asked.found,
    consents: agreed.found,
  };
}

const beginningIn = (said: unknown) => (said as { readonly startsWith?: string } | undefined)?.startsWith;

/** An actor who may not read what members have subscribed to does not find it out by a filter. */
function demandReading({ actor }: OnTenant<OperationContext>, { subscription }: FilterInput): void {
  const permission = 'subscriptions:read';
  if (subscription === undefined || mayGrant(actor, [permission])) return;
  throw denied(['filter', 'subscription'], 'permission_needed', { permission });
}

interface Read<Item> {
  readonly found: readonly Item[];
  readonly problems: readonly Problem[];
}

async function propertiesIn(
  { tx, tenant }: OnTenant<OperationContext>,
  said: Readonly<Record<string, Comparisons>>,
): Promise<Read<MemberFilter['properties'][number]>> {
  if (Object.keys(said).length === 0) return { found: [], problems: [] };
  const defined = await listCustomProperties(tx, tenant.id);
  const found: MemberFilter['properties'][number][] = [];
  const problems: Problem[] = [];
  for (const [key, comparisons] of Object.entries(said)) {
    const at: Path = ['filter', 'subscription', 'properties', key];
    const known = defined.find((one) => one.key === key);
    if (known === undefined) {
      problems.push(problem(at, 'property_not_defined', { key }));
      continue;
    }
    for (const [comparison, value] of Object.entries(comparisons)) {
      const read = valueFor(known.type, value);
      if (read === null) problems.push(problem([...at, comparison], 'malformed'));
      else found.push({ ...known, comparison: comparison as Comparison, value: read });
    }
  }
  return { found, problems };
}

/** A value as one of a property is kept: a number comes as a text in an address. */
function valueFor(type: MemberFilter['properties'][number]['type'], value: unknown): string | number | null {
  if (type === 'string') return String(value);
  if (type === 'number') {
    const number = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : null;
  }
  return typeof value === 'string' && isTime(value) ? new Date(value).toISOString() : null;
}

async function consentsIn(
  { tx, tenant }: OnTenant<OperationContext>,
  said: NonNullable<FilterInput['consents']>,
): Promise<Read<MemberFilter['consents'][number]>> {
  const names = Object.keys(said);
  if (names.length === 0) return { found: [], problems: [] };
  const known = new Set((await listEveryConsent(tx, tenant.id)).map(({ id }) => id));
  const problems = names
    .filter((id) => !known.has(id))
    .map((id) => problem(['filter', 'consents', id], 'not_found', { what: 'consent' }));
  const found = Object.entries(said).flatMap(([consentId, { eq: status }]) =>
    status === undefined ? [] : [{ consentId, status }],
  );
  return { found, problems };
}
