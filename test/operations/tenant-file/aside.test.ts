import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { filesPerMinute } from '../../../src/core/operators/limits.ts';
import type { Permission } from '../../../src/core/operators/permission.ts';
import { readAside } from '../../../src/operations/tenant-file/read.ts';
import { secrets } from '../../support/fixtures.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { loopWorkOf } from '../../support/process/work.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });

const head = 'tenants:\n  - issuer: https://a.test\n    name: Tenant A\n';
const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join('');
const confidential = (more: string) =>
  `${head}    clients:\n      - { clientId: conf1, name: Confidential One, type: confidential, ${more} }\n`;

const compare = (token: string, file: string, references = {}) =>
  callApi(service, { path: '/tenants/a.test/file/compare', body: { file, references }, token });

describe('a tenant file is read beside the event loop', () => {
  // Comparing each name with each other took a minute and a half once.
  it.each<[string, string]>([
    [
      'names that are not there',
      `${head}    products: [${many(4_000, (index) => `p${index},`)}]\n    channels:\n` +
        `      - { id: a, name: N, products: [${many(5_000, (index) => `q${index},`)}] }\n`,
    ],
    [
      'two very long names',
      `${head}    products: [${'a'.repeat(90_000)}]\n    channels:\n      - { id: a, name: N, products: [${'b'.repeat(90_000)}] }\n`,
    ],
    ['addresses', `${head}    returnOrigins: [${many(9_000, (index) => `"http://a${index}.test",`)}]\n`],
    ['errors', many(6_000, () => '- "\\q"\n')],
    ['documents', '---\n'.repeat(10_000)],
  ])('however many %s it has', async (_what, text) => {
    await readAside({ text: head, references: {} });
    let least = Number.POSITIVE_INFINITY;
    // Handing it over takes less than ten; reading it on the loop takes 50 to 250. The least of a few, since the loop also
    // collects the garbage of the tests before, and a busy machine is slow to hand over.
    for (let times = 0; times < 10 && least >= 20; times += 1) {
      const read = async () => expect((await readAside({ text, references: {} })).ok).toBe(false);
      least = Math.min(least, await loopWorkOf(read));
    }
    expect(least).toBeLessThan(20);
  });

  it('one after the other, each with its own answer', async () => {
    const texts = ['a: 1', head, '[', head];
    const read = await Promise.all(texts.map((text) => readAside({ text, references: {} })));
    expect(read.map(({ ok }) => ok)).toEqual([false, true, false, true]);
  });

  it(`no more than ${filesPerMinute} times a minute for one token`, async () => {
    const [token, other] = [await adminToken(service), await adminToken(service)];
    for (let times = 0; times < filesPerMinute; times += 1) {
      expect((await compare(token, 'x')).status).toBe(400);
    }
    const refused = await compare(token, 'x');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await compare(other, 'x')).status).toBe(400);
    service.clock.advance(60_000);
    expect((await compare(token, 'x')).status).toBe(400);
  });
});

describe('A18: a tenant file reveals no secret', () => {
  const readers: readonly Permission[] = ['tenants:read', 'clients:read', 'access:read'];

  it.each([
    ['the one that is stored', secrets.conf1],
    ['another', 'guess'],
  ])('nor whether a given one is %s, who may not set it', async (_what, secret) => {
    const file = confidential(`secretHash: ${sha256(secret)}`);
    const token = await adminToken(service, { permissions: readers });
    const answer = await compare(token, file);
    expect(answer.status).toBe(403);
    expect(answer.json().problems).toMatchObject([
      { message: 'to compare secrets needs the permissions clients:write' },
    ]);
    expect((await compare(token, confidential('disabled: false'))).status).toBe(200);
  });

  it('and the service opens no file and reads no variable that one names', async () => {
    const token = await adminToken(service);
    for (const reference of ['secretFile: /etc/passwd', 'secretEnv: PATH', 'logoFile: /etc/passwd']) {
      const answer = await compare(token, confidential(reference));
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('only the command');
      expect(answer.text).not.toContain('root:');
    }
  });
});
