import fc from 'fast-check';
import { anyLength } from './hostile.ts';
import { secretMark } from './requests.ts';

/** As much of JSON Schema as the operations' inputs use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly secret?: boolean;
}

/** Any text that can stand in a JSON body, halves of surrogate pairs among them. */
const jsonText = fc.oneof(
  { weight: 3, arbitrary: anyLength },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }).map((made) => `${made}\ud800`) },
);

const number = fc.oneof(
  fc.integer(),
  fc.constantFrom(0, -1, 0.5, 1e21, 2 ** 53, -(2 ** 63), 1e308),
  fc.nat(100),
);

/** Values for a schema: mostly of its type, with hostile content, and now and then of another one. */
export function fromSchema(schema: Schema): fc.Arbitrary<unknown> {
  const types = [schema.type ?? 'string'].flat();
  const known = [...(schema.examples ?? []), ...(schema.enum ?? [])];
  return fc.oneof(
    ...(known.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom<unknown>(...known) }]),
    { weight: 6, arbitrary: fc.constantFrom(...types).chain((type) => ofType(type, schema)) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
}

function ofType(
  type: string,
  { properties, additionalProperties, items, secret }: Schema,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return secret === true ? anyLength.map((made) => `${secretMark}${made}`) : jsonText;
    case 'integer':
    case 'number':
      return number;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fromSchema(items ?? {}), { maxLength: 4 });
    default: {
      const fields = Object.entries(properties ?? {}).map(
        ([name, field]) => [name, fromSchema(field)] as const,
      );
      const more =
        typeof additionalProperties === 'object' ? fromSchema(additionalProperties) : fc.jsonValue();
      return fields.length > 0
        ? fc.record(Object.fromEntries(fields), { requiredKeys: [] })
        : fc.dictionary(fc.oneof(jsonText, fc.constantFrom('seats', '__proto__')), more, { maxKeys: 3 });
    }
  }
}
