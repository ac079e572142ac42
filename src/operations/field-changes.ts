// Which fields of a thing became another, and how that is told.
import type { FieldChange } from '../core/operators/audit-event.ts';
import type { Permission } from '../core/operators/permission.ts';

/** What is said of a thing, by the names of its fields. */
export type Facts = Readonly<Record<string, unknown>>;

/**
 * The fields that are given and that are stored otherwise. A field that is an object is compared part by
 * part, so that a part which is left out stays; a list is compared as a whole.
 */
export function fieldChanges(stored: object, given: object): readonly FieldChange[] {
  const known = flat(stored);
  return [...flat(given)].flatMap(([field, value]) => {
    const before = known.get(field);
    return JSON.stringify(before) === JSON.stringify(value)
      ? []
      : [{ field, from: before === undefined ? null : shownValue(before), to: shownValue(value) }];
  });
}

function flat(facts: object, prefix = ''): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(facts).flatMap(([name, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? [...flat(value, `${prefix}${name}.`)]
        : value === undefined
          ? []
          : [[`${prefix}${name}`, value]],
    ),
  );
}

/** The longest value shown, in characters: a picture would fill the screen. */
const longest = 80;

function shownValue(value: unknown): string {
  const text = JSON.stringify(value);
  const letters = [...text];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : text;
}

/** A change as it may be kept: of a secret it says no more than that it changed. */
export function withoutSecret(change: FieldChange): FieldChange {
  return /secret|password|hash/i.test(change.field) && !/^passwordLength$/.test(change.field)
    ? ofSecret(change.field)
    : change;
}

/** No value in JSON looks like this. */
const changed = 'changed';

export const ofSecret = (field: string): FieldChange => ({ field, from: null, to: changed });

/** Changes of what a permission changes, as they are kept: each with what reads it. */
export function forReaders(changes: readonly FieldChange[], needed: Permission): readonly FieldChange[] {
  const readWith = readers[needed];
  return readWith === undefined ? changes : changes.map((change) => ({ ...change, readWith }));
}

/** What reads the data of members that these permissions change. */
const readers: Partial<Record<Permission, Permission>> = {
  'members:write': 'members:read',
  'subscriptions:write': 'subscriptions:read',
};

/** A field before and from then on. @param arrow what stands between the two */
export function fieldText({ field, from, to }: FieldChange, arrow: string): string {
  return from === null && to === changed ? `${field}: ${to}` : `${field}: ${from ?? 'unset'} ${arrow} ${to}`;
}
