import { describe, expect, it } from 'vitest';
import { adminPaths } from '../../../src/http/admin/api-openapi.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { defineOperation } from '../../../src/operations/admin/operation.ts';

interface Item {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
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
const items = Object.entries(paths).flatMap(([path, whole]) => {
  const { parameters = [], ...methods } = whole as Readonly<Record<string, Item>> &
    Partial<Pick<Item, 'parameters'>>;
  return Object.entries(methods as Readonly<Record<string, Item>>).map(([method, item]) => ({
    path,
    method,
    item: { ...item, parameters: [...parameters, ...(item.parameters ?? [])] },
  }));
});

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
    ])['/api/v1/admin/tenants/{tenant}/clients/{clientId}'] as {
      readonly parameters: unknown;
      readonly patch: Item;
    };
    expect(item.parameters).toMatchObject([
      { name: 'tenant', in: 'path', required: true },
      { name: 'clientId', in: 'path', required: true },
    ]);
    expect(item.patch).toMatchObject({
      description: 'Needs the permission clients:write, and a token for every tenant.',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { required: ['name'], additionalProperties: false } } },
      },
    });
    expect(Object.keys(item.patch.responses)).toEqual(['200', '409', '503', '4XX']);
    expect(item.patch.responses[200]).toMatchObject({
      headers: {
        RateLimit: { $ref: '#/components/headers/RateLimit' },
        'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
      },
    });
  });
});
