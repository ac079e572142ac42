// The custom properties of subscriptions, and the rules for their values.
import { type Problem, problem } from '../problem.ts';
import { customPropertyLength } from './limits.ts';

/** A value of a tenant's own subscription property (contract, "Subscription object"). */
type CustomPropertyValue = number | string;

export type CustomPropertyValues = Readonly<Record<string, CustomPropertyValue>>;

/** A key that a tenant has defined for its subscriptions. */
export interface CustomProperty {
  readonly key: string;
  /** A timestamp is a string in ISO 8601, UTC, with milliseconds. */
  readonly type: 'number' | 'string' | 'timestamp';
}

/** Whether a text can be the key of a property: it must not meet what objects have by birth. */
export function isPropertyKey(key: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(key) && !(key in {});
}

/** Values with changes to some of them: null takes one away. */
export function merged(
  values: CustomPropertyValues,
  changes: Readonly<Record<string, CustomPropertyValue | null>>,
): CustomPropertyValues {
  const all = Object.entries({ ...values, ...changes });
  return Object.fromEntries(all.filter((entry): entry is [string, CustomPropertyValue] => entry[1] !== null));
}

/**
 * Everything that is wrong with the values of a subscription, each at its key; empty if nothing is.
 * Only keys that the tenant has defined are taken, each with a value of its type.
 */
export function propertyProblems(
  values: CustomPropertyValues,
  defined: readonly CustomProperty[],
): readonly Problem[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const property = defined.find((known) => known.key === key);
    if (property === undefined) return [problem(key, 'property_not_defined', { key })];
    return isOfType(value, property.type) ? [] : [notOfType(key, property.type)];
  });
}

function notOfType(key: string, type: CustomProperty['type']): Problem {
  if (type === 'number') return problem(key, 'property_number', { key });
  return type === 'string'
    ? problem(key, 'property_string', { key, most: customPropertyLength })
    : problem(key, 'property_timestamp', { key });
}

function isOfType(value: unknown, type: CustomProperty['type']): boolean {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (typeof value !== 'string' || value.length > customPropertyLength || !value.isWellFormed()) return false;
  return type === 'string' || isTimestamp(value);
}

/** Years of more than four digits are ISO 8601 by agreement alone, and there is none. */
function isTimestamp(value: string): boolean {
  if (!/^\d{4}-/.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}
