import { describe, expect, it } from 'vitest';
import { adminComponents, adminPaths } from '../../../src/http/admin/api-openapi.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { defineOperation } from '../../../src/operations/admin/operation.ts';

interface Item {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> };
  readonly responses: Readonly<Record<string, object>>;
}

interface BodySchema {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
}

const paths = adminPaths(operations);
const items = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods as Readonly<Record<string, Item>>).map(([method, item]) => ({ path, method, item })),
);

/** Every reference in a document. */
function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' ? [String(part)] : referencesIn(part),
  );
}

describe('the path items of the admin API', () => {
  it('hold every operation once, at its path and method', () => {
    expect(items.map(({ item }) => item.operationId).sort()).toEqual(
      operations.map(({ name }) => name).sort(),
    );
    for (const { name, method, path } of operations) {
      const item = items.find((candidate) => candidate.item.operationId === name);
      expect({ path: item?.path, method: item?.method }).toEqual({
        path: `/api/v1/admin${path}`,
        method: method.toLowerCase(),
      });
    }
  });

  it('name each field of an input in one place, with a description', () => {
    for (const { item } of items) {
      const operation = operations.find(({ name }) => name === item.operationId);
      const body = Object.entries(item.requestBody?.content['application/json']?.schema.properties ?? {});
      const fields = [...item.parameters, ...body.map(([name, schema]) => ({ name, ...schema }))];
      expect(fields.map(({ name }) => name).sort()).toEqual(
        Object.keys(operation?.input.properties ?? {}).sort(),
      );
      for (const { name, description } of fields) {
        expect(description, `${item.operationId} ${name}`).toMatch(/\S/);
      }
    }
  });

  it('refer only to their own components', () => {
    const known = Object.entries(adminComponents).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    );
    const references = new Set([...referencesIn(paths), ...referencesIn(adminComponents)]);
    expect(references.size).toBeGreaterThan(5);
    for (const reference of references) expect(known).toContain(reference);
  });

  it('say what an operation needs, takes and may answer', () => {
    const item = adminPaths([
      defineOperation({
        name: 'clients.change',
        summary: 'Change a client',
        permission: 'clients:write',
        reach: 'system',
        method: 'PATCH',
        path: '/tenants/{tenant}/clients/{clientId}',
        input: {
          type: 'object',
          properties: {
            tenant: { type: 'string', description: 'The tenant' },
            clientId: { type: 'string', description: 'The client' },
            name: { type: 'string', description: 'Its name' },
          },
          required: ['tenant', 'clientId', 'name'],
        },
        output: { type: 'object' },
        acts: true,
        run: async () => ({}),
      }),
    ])['/api/v1/admin/tenants/{tenant}/clients/{clientId}'] as { readonly patch: Item };
    expect(item.patch).toMatchObject({
      description: 'Needs the permission clients:write, and a token for every tenant.',
      security: [{ adminToken: [] }],
      parameters: [
        { name: 'tenant', in: 'path', required: true },
        { name: 'clientId', in: 'path', required: true },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { required: ['name'], additionalProperties: false } } },
      },
    });
    expect(Object.keys(item.patch.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '429',
      '503',
    ]);
  });
});
