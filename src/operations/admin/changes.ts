/** What an operation changed of the thing that it acts on, for the audit. */
import type { FieldChange } from '../../core/operators/audit-event.ts';
import { type Facts, fieldChanges, ofSecret, withoutSecret } from '../field-changes.ts';
import { OperationRefused } from '../refusal.ts';
import { operations } from './index.ts';
import type { Operation, OperationContext } from './operation.ts';

/**
 * The thing that an operation changes, as it is now: as the operation answers that it reads (`portal.reads`), or the
 * entry of that list. null for what makes or ends something, and for what is about no one thing.
 */
export async function presentOf(
  operation: Operation,
  context: OperationContext,
  input: Facts,
): Promise<Facts | null> {
  if (!operation.acts || operation.made !== undefined || operation.method === 'DELETE') return null;
  try {
    if (operation.present !== undefined) return (await operation.present(context, input)) as Facts;
    const reads = operations.find(({ name }) => name === operation.portal?.reads);
    const entry = reads?.portal?.list?.entry;
    if (reads === undefined) return null;
    if (entry === undefined) return (await reads.run(context, input, undefined)) as Facts;
    // A list of pages finds one entry by what names it.
    if (!(entry.field in reads.input.properties)) return null;
    const [entries] = Object.values(await reads.run(context, { ...input, limit: 1 }, undefined)) as Entries[];
    return entries?.find((one) => String(one[entry.key]) === String(input[entry.field])) ?? null;
  } catch (error) {
    // What is not there, or not for this actor, is told by the operation itself.
    if (error instanceof OperationRefused) return null;
    throw error;
  }
}

type Entries = readonly Facts[];

/** The fields of a thing that are another in what an operation answers; of a secret only that it is one. */
export function changesOf(
  { input: { properties } }: Operation,
  input: Facts,
  before: Facts,
  answer: Facts,
): readonly FieldChange[] {
  const was = told(before, answer);
  const is = told(answer, before);
  const gone = fieldChanges(is, was).flatMap(({ field, from, to }) =>
    from === null ? [{ field, from: to, to: 'unset' }] : [],
  );
  const secrets = Object.entries(properties).flatMap(([field, schema]) =>
    'secret' in schema && input[field] !== undefined ? [ofSecret(field)] : [],
  );
  return [...fieldChanges(was, is), ...gone].map(withoutSecret).concat(secrets);
}

/** When something was changed, the event says itself. */
const unsaid = new Set(['updatedAt', 'lastUsedAt']);

/** The fields of a thing that are compared: those that both have, and the ids of other things in it. */
function told(thing: Facts, other: Facts): Facts {
  return Object.fromEntries(
    Object.entries(thing)
      .filter(([name]) => name in other && !unsaid.has(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(idOf) : value]),
  );
}

const idOf = (item: unknown) =>
  typeof item === 'object' && item !== null && 'id' in item ? (item as Facts).id : item;
