import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/http/admin/api-openapi.ts';
import { memberDocument } from '../../../src/http/api/openapi.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { type Document, partOf } from '../../support/openapi.ts';

type Part = Readonly<Record<string, unknown>>;

const document = openApiDocument() as Document;
const documents = { whole: document, member: memberDocument() as Document };

/** Every object of a document, with the place where it stands. */
function objectsIn(value: unknown, place = ''): readonly { readonly place: string; readonly object: Part }[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : [{ place, object: value as Part }];
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, part]) =>
      name === 'examples' ? [] : objectsIn(part, `${place}/${name}`),
    ),
  ];
}

/** What a schema says to a program: its values and properties, whatever it says of them. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  const { description: _, examples: _examples, default: _default, ...rest } = value as Part;
  return Object.fromEntries(
    Object.entries(rest)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, name === 'properties' ? shapesOf(part as Part) : shapeOf(part)]),
  );
}

const shapesOf = (properties: Part) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, shapeOf(schema)]));

interface Placed {
  readonly place: string;
  readonly text: string;
}

/** The places that share a text, for every text that stands in more than one. */
function repeated(texts: readonly Placed[]): readonly (readonly Placed[])[] {
  const groups = Object.values(Object.groupBy(texts, ({ text }) => text));
  return groups.flatMap((same = []) => (same.length > 1 ? [same] : []));
}

const placesOf = (same: readonly Placed[]) => same.map(({ place }) => place).join(' = ');

describe.each(Object.entries(documents))('the %s document', (_name, whole) => {
  it('refers to nothing that it does not have', () => {
    const references = objectsIn(whole).flatMap(({ object: { $ref } }) =>
      typeof $ref === 'string' ? [$ref] : [],
    );
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) expect(() => partOf(whole, reference), reference).not.toThrow();
  });

  it('has no component that nothing refers to', () => {
    const text = JSON.stringify(whole);
    const { schemas, ...others } = whole.components as Readonly<Record<string, Part>>;
    for (const [kind, parts] of Object.entries({ schemas, parameters: others.parameters ?? {} })) {
      for (const name of Object.keys(parts ?? {})) expect(text).toContain(`"#/components/${kind}/${name}"`);
    }
  });

  it('has each object and each list of values once, whatever words it has', () => {
    const types = objectsIn(whole).filter(
      ({ object }) => 'properties' in object || Array.isArray(object.enum),
    );
    expect(types.length).toBeGreaterThan(10);
    const shapes = types.map(({ place, object }) => ({ place, text: JSON.stringify(shapeOf(object)) }));
    expect(repeated(shapes).map(placesOf)).toEqual([]);
  });

  it('has each schema, parameter and answer once, unless a component of it would take more room', () => {
    const parts = objectsIn(whole).filter(
      ({ place, object }) =>
        !place.includes('/headers/') && ['type', 'in', 'content'].some((keyword) => keyword in object),
    );
    const texts = parts.map(({ place, object }) => ({ place, text: JSON.stringify(object) }));
    // As long as a reference with a long name, to a component that has to be named once more.
    const [reference, name] = [80, 40];
    const longer = repeated(texts).filter((same) => {
      const length = same[0]?.text.length ?? 0;
      return (same.length - 1) * length > name + same.length * reference;
    });
    expect(longer.map(placesOf)).toEqual([]);
  });
});

describe('the admin API in the document', () => {
  it('takes at most 2.2 KB for each operation as it is served, and 3.7 KB as it is printed', () => {
    const paths: readonly object[] = Object.values(document.paths as object);
    const methods = paths.flatMap((path) => Object.keys(path).filter((name) => name !== 'parameters'));
    expect(methods.length).toBeGreaterThan(operations.length);
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(2_200 * methods.length);
    const printed = readFileSync(new URL('../../../docs/openapi.json', import.meta.url));
    expect(printed.byteLength).toBeLessThan(3_700 * methods.length);
  });

  it('has a named schema for what each list has', () => {
    const { paths } = document as unknown as { readonly paths: Readonly<Record<string, Part>> };
    const lists = operations.filter(({ name }) => name.endsWith('.list'));
    expect(lists.length).toBeGreaterThan(10);
    const named = lists.map(({ name, path }) => {
      const { responses } = (paths[`/api/v1/admin${path}`]?.get ?? {}) as { readonly responses?: Part };
      const found = objectsIn(resolvedOnce((responses?.['200'] ?? {}) as Part)).find(
        ({ object }) => object.type === 'array',
      );
      return [name, String((found?.object.items as Part | undefined)?.$ref)] as const;
    });
    for (const [name, $ref] of named) expect($ref, name).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/);
    expect(Object.fromEntries(named)).toMatchObject({
      'tenants.list': '#/components/schemas/Tenant',
      'clients.list': '#/components/schemas/Client',
      'members.list': '#/components/schemas/Member',
      'packages.list': '#/components/schemas/Package',
    });
    expect(document.components.schemas.Language?.enum).toContain('nb');
  });

  it('has one answer for one thing, whatever was done to it', () => {
    const { paths } = document as unknown as {
      readonly paths: Readonly<Record<string, Record<string, Part>>>;
    };
    const answerOf = (path: string, method: string) =>
      (paths[`/api/v1/admin${path}`]?.[method]?.responses as Part | undefined)?.['200'];
    const tenant = { $ref: '#/components/responses/Tenant' };
    expect(answerOf('/tenants/{tenant}', 'get')).toEqual(tenant);
    expect(answerOf('/tenants/{tenant}', 'patch')).toEqual(tenant);
    expect(answerOf('/tenants/{tenant}/disable', 'post')).toEqual(tenant);
  });
});

/** An answer, from the components if it stands there, with its own references as they are. */
function resolvedOnce(answer: Part): Part {
  const { $ref } = answer;
  const own = typeof $ref === 'string' ? (partOf(document, $ref) as Part) : answer;
  const schemas = objectsIn(own).filter(({ place }) => place.endsWith('/schema'));
  const [{ object: schema } = { object: {} as Part }] = schemas;
  return typeof schema.$ref === 'string' ? (partOf(document, schema.$ref) as Part) : own;
}
