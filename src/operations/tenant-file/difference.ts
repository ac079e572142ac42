// What differs between a tenant file and the database.
import type { FieldChange } from '../../core/operators/audit-event.ts';
import type { Permission } from '../../core/operators/permission.ts';
import type { Facts } from './tenant-file.ts';

export type { FieldChange };

/** What of a tenant a change is about. */
export type Noun =
  | 'tenant'
  | 'property'
  | 'product'
  | 'package'
  | 'channel'
  | 'consent'
  | 'client'
  | 'member'
  | 'subscription';

/** One entry in which a file and the database differ. */
export interface Change {
  /** The host of its tenant. */
  readonly tenant: string;
  readonly noun: Noun;
  /** What it is called in the file. */
  readonly name: string;
  /**
   * `kept`: it is only in the database, and is left alone. `ended`: it is only in the database, and the file
   * was to be all there is.
   */
  readonly change: 'added' | 'changed' | 'ended' | 'kept';
  readonly fields: readonly FieldChange[];
  /** How it ends, or would; empty for the others. */
  readonly note: string;
}

/** Whether applying the file would change anything. */
export const differs = (changes: readonly Change[]) => changes.some(({ change }) => change !== 'kept');

/**
 * The fields that a file gives and that are stored otherwise. A field that is an object is compared part by
 * part, so that a part which is left out stays; a list is compared as a whole.
 */
export function fieldChanges(stored: Facts, given: Facts): readonly FieldChange[] {
  const known = flat(stored);
  return [...flat(given)].flatMap(([field, value]) => {
    const before = known.get(field);
    return JSON.stringify(before) === JSON.stringify(value)
      ? []
      : [{ field, from: before === undefined ? null : shownValue(before), to: shownValue(value) }];
  });
}

function flat(facts: Facts, prefix = ''): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(facts).flatMap(([name, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? [...flat(value as Facts, `${prefix}${name}.`)]
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

export const ofSecret = (field: string): FieldChange => ({ field, from: null, to: changed });

export const isOfSecret = ({ from, to }: FieldChange) => from === null && to === changed;
