/** What came with a call: as the operation's schema reads it, and with the ids of members that it names by address. */
import { problemsTold } from '../../core/operators/limits.ts';
import { mayGrant } from '../../core/operators/permission.ts';
import { type Problem, problem } from '../../core/problem.ts';
import { findMemberByEmail } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { type Schema, typesOf } from '../json-schema.ts';
import { denied, invalid, refuseIfAny, unknown } from '../refusal.ts';
import { type SchemaCheck, schemaCheck } from '../schema-problems.ts';
import type { Operation, PreparationContext } from './operation.ts';

type Input = Readonly<Record<string, unknown>>;

const checks = new WeakMap<object, SchemaCheck>();

/**
 * The input of an operation with its defaults.
 *
 * @throws OperationRefused with every problem at once, up to a number; the input's own values are never repeated
 */
export function readInput({ input: schema }: Operation, given: Input): Input {
  const known = checks.get(schema);
  const check = known ?? schemaCheck(schema, true, 0);
  if (known === undefined) checks.set(schema, check);
  const input = readTexts(given, schema) as Input;
  refuseIfAny(halved(input).slice(0, problemsTold));
  refuseIfAny(check(input).slice(0, problemsTold));
  return input;
}

/** JSON can write half a character, which a database gives back as another one: what was answered would be wrong. */
function halved(input: Input): readonly Problem[] {
  return Object.entries(input)
    .filter((field) => !isUnicode(field))
    .map(([name]): Problem => problem(name.toWellFormed(), 'half_character'));
}

function isUnicode(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, field]) => name.isWellFormed() && isUnicode(field));
}

/**
 * Numbers and flags come as texts from addresses, forms and the command line, a list of one as that one, and
 * nothing as an empty text. Nothing else is read as what it is not: null is no text, and no flag.
 */
function readTexts(value: unknown, schema: Schema | undefined): unknown {
  if (schema === undefined) return value;
  const { items, properties = {} } = schema;
  const types = typesOf(schema);
  if (Array.isArray(value)) return value.map((item) => readTexts(item, items));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        readTexts(field, Object.hasOwn(properties, name) ? properties[name] : undefined),
      ]),
    );
  }
  if (typeof value !== 'string' || types.includes('string') || schema.enum !== undefined) return value;
  if (value === '' && types.includes('null')) return null;
  if (types.includes('array')) return [readTexts(value, items)];
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && /^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  return types.includes('boolean') && /^(?:true|false)$/.test(value) ? value === 'true' : value;
}

/** The fields of inputs that hold the id of a member. */
const memberFields = ['memberId', 'actorId', 'target'];

/** Whether a field names a member by address. No id has an `@`. */
export function isMemberAddress(name: string, value: unknown): value is string {
  return memberFields.includes(name) && typeof value === 'string' && value.includes('@');
}

/**
 * The input with the id of each member that it names by address.
 *
 * @throws OperationRefused if no member of the tenant has the address, or who asks may not read members
 */
export async function withMemberIds(
  tx: Tx,
  { actor, tenant }: Pick<PreparationContext, 'actor' | 'tenant'>,
  { path }: Pick<Operation, 'path'>,
  input: Input,
): Promise<Input> {
  const ids: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!isMemberAddress(name, value)) continue;
    // An actor who may not read members is not told whether an address has an account.
    if (!mayGrant(actor, ['members:read'])) {
      throw denied(name, 'permission_needed_for_address', { permission: 'members:read' });
    }
    if (tenant === null) {
      throw invalid(name, 'tenant_needed');
    }
    const found = await findMemberByEmail(tx, tenant.id, value);
    if (found === null && path.includes(`{${name}}`)) throw unknown('member');
    if (found === null) throw invalid(name, 'no_member_of_address');
    ids[name] = found.member.id;
  }
  return { ...input, ...ids };
}
