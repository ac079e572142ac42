import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/http/admin/api-openapi.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { type Document, operations } from '../../support/openapi.ts';
import { useService } from '../../support/use-service.ts';

const document = openApiDocument() as Document;
const url = '/api/v1/openapi.json';
const apiHost = 'api.test';

const service = useService({ data: 'security', apiHost });

describe('the document', () => {
  it('is what docs/openapi.json says (if not: npm run docs)', () => {
    const file = new URL('../../../docs/openapi.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(document);
  });

  it('has nothing that a linter of OpenAPI would recommend to change', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('lists every route of the member API', () => {
    expect(operations.map(({ name }) => name)).toEqual([
      'GET /api/v1/members/profile/info-with-active-subscriptions',
      'GET /api/v1/members/profile/info-with-content-access',
      'GET /api/v1/members/profile/info-with-content-access/explain',
      'GET /api/v1/members/profile/consents',
      'PUT /api/v1/members/profile/consents',
      'GET /api/v1/members/profile/consents/{consentId}',
      'PUT /api/v1/members/profile/consents/{consentId}',
    ]);
  });

  it('has an example and words for every field, and no object takes more than its fields but for what another is made of', () => {
    const bare: string[] = [];
    const madeOf = /"allOf":\[\{"\$ref":"#\/components\/schemas\/(\w+)"/g;
    const bases = new Set([...JSON.stringify(document).matchAll(madeOf)].map(([, name]) => name));
    const walk = (schema: Readonly<Record<string, unknown>>, place: string) => {
      const { type, $ref, anyOf, description, examples, properties = {}, items } = schema;
      if ($ref !== undefined || JSON.stringify(anyOf)?.includes('$ref')) return;
      const isLeaf = !['object', 'array'].some((name) => [type].flat().includes(name));
      if (typeof description !== 'string' || description === '') bare.push(`${place}: description`);
      if (isLeaf && !Array.isArray(examples)) bare.push(`${place}: examples`);
      const isClosed =
        schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined;
      if ([type].flat().includes('object') && !isClosed && !bases.has(place)) bare.push(`${place}: closed`);
      for (const [name, property] of Object.entries(properties as Record<string, Record<string, unknown>>)) {
        walk(property, `${place}.${name}`);
      }
      if (items !== undefined) walk(items as Record<string, unknown>, `${place}[]`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      walk(schema, name);
    }
    expect(bare).toEqual([]);
  });

  it.each([hosts.a, apiHost])('is served to anybody at %s, to be kept and asked for again', async (host) => {
    const answer = await service.http(host, url, { headers: { origin: 'https://evil.test' } });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual(document);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
    const etag = String(answer.headers.etag);
    const again = await service.http(host, url, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    const head = await service.http(host, url, { method: 'HEAD' });
    expect([head.status, head.headers.etag, head.text]).toEqual([200, etag, '']);
    const refused = await service.http(host, url, { method: 'PUT' });
    expectJsonError(refused, 405, 'invalid_request');
    expect(refused.headers.allow).toBe('GET, HEAD, OPTIONS');
    const preflight = await service.http(host, url, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
  });
});
