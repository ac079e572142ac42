// Reads the fields of a query: one that is sent several times is a list, and `filter[name][eq]` a part of an object.
import type { ObjectSchema } from '../../operations/admin/operation.ts';
import { typesOf } from '../../operations/json-schema.ts';
import { invalid } from '../../operations/refusal.ts';
import type { Form } from '../form.ts';

const nested = /^([A-Za-z]+)((?:\[[^[\]]{1,128}\]){1,6})$/;

interface Part {
  readonly names: readonly string[];
  readonly value: unknown;
}

/**
 * The fields of a query, by name.
 *
 * @throws OperationRefused where one is sent as a value and as an object
 */
export function queryFields(
  query: Form,
  { properties }: ObjectSchema,
): readonly (readonly [string, unknown])[] {
  const plain: (readonly [string, unknown])[] = [];
  const parts: Part[] = [];
  for (const [name, values] of query) {
    const value = values.length > 1 ? values : values[0];
    const [, field = '', path = ''] = nested.exec(name) ?? [];
    const schema = Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (schema === undefined || !typesOf(schema).includes('object')) plain.push([name, value]);
    else parts.push({ names: [field, ...path.slice(1, -1).split('][')], value });
  }
  return [...plain, ...fieldsOf(parts, [])];
}

/** The fields that parts come to, each name once. */
function fieldsOf(parts: readonly Part[], at: readonly string[]): [string, unknown][] {
  const byName = Map.groupBy(parts, ({ names: [name = ''] }) => name);
  return [...byName].map(([name, own]) => {
    const [first] = own;
    const isValue = own.some(({ names }) => names.length === 1);
    if (isValue && own.length > 1) throw invalid([...at, name], 'sent_twice');
    if (isValue) return [name, first?.value];
    const inner = own.map(({ names, value }) => ({ names: names.slice(1), value }));
    // Object.fromEntries makes an own field of every name, also of those that objects have by birth.
    return [name, Object.fromEntries(fieldsOf(inner, [...at, name]))];
  });
}
