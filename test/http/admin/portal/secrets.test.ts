import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { filledIn, mainOf, newAdmin, type PortalVisitor } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';
import { codeFor, token, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
/** An administrator of tenant A. */
let tina: PortalVisitor;

const home = `/admin/tenants/${hosts.a}`;

beforeAll(async () => {
  tina = await newAdmin(service, hosts.a, 'tina@example.test');
});
// What is denied on purpose must not add up to the limit of a minute.
beforeEach(() => service.clock.advance(5_000));

describe('A18: a secret', () => {
  const secretOn = (answer: Answer) =>
    /aria-label="The secret"><code>([\w-]{43,})</.exec(answer.text)?.[1] ?? '';
  const created = {
    clientId: 'shop',
    name: 'Shop',
    kind: 'website',
    address: 'https://shop.test',
    redirectUris: 'https://shop.test/cb',
  };

  it('is on the answer that makes it, works, and is nowhere else afterwards', async () => {
    const answer = await tina.submit(`${home}/clients/+create`, created);
    const secret = secretOn(answer);
    expect({ status: answer.status, length: secret.length }).toEqual({ status: 200, length: 43 });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.headers.location).toBeUndefined();

    const { code, verifier } = await codeFor(visitor(service, hosts.a), 'shop', 'https://shop.test/cb');
    const exchange = { grant_type: 'authorization_code', client_id: 'shop', code, code_verifier: verifier };
    expect((await token(service, hosts.a, { ...exchange, client_secret: secret })).status).toBe(200);

    const pages = ['', '/clients', '/clients/shop', '/clients/shop/+change', '/audit', '/audit/export'];
    for (const path of pages) expect((await tina.send(`${home}${path}`)).text).not.toContain(secret);
    expect(service.logLines.join('')).not.toContain(secret);
    const files = readdirSync(service.folder).filter((file) => file.startsWith('memberdoor.db'));
    for (const file of files) {
      expect(readFileSync(join(service.folder, file)).includes(secret)).toBe(false);
    }
  });

  it('pages 7: the same form sent again, as a reload does, makes no other', async () => {
    const path = `${home}/clients/shop/secrets/+add-secret`;
    const body = filledIn(await tina.send(path));
    const first = await tina.send(path, { body });
    expect(secretOn(first)).not.toBe('');
    const again = await tina.send(path, { body });
    expect({ status: again.status, secret: secretOn(again) }).toEqual({ status: 409, secret: '' });
    expect(mainOf(again)).toContain('You sent this already');
    const page = mainOf(await tina.send(`${home}/clients/shop`));
    expect(page.match(/\+remove-secret/g)).toHaveLength(2);
    expect(mainOf(await tina.send(home))).toContain('Shop has two secrets');
  });

  it('two at once: one form makes one secret', async () => {
    await tina.submit(`${home}/clients/+create`, { ...created, clientId: 'once' });
    const path = `${home}/clients/once/secrets/+add-secret`;
    const body = filledIn(await tina.send(path));
    const answers = await Promise.all(Array.from({ length: 8 }, () => tina.send(path, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  it('a token of the admin API is shown once too, and works', async () => {
    const answer = await tina.submit(`${home}/tokens/+create`, {
      name: 'deployment',
      permissions: ['clients:read', 'clients:write'],
    });
    const secret = secretOn(answer);
    expect(secret).toMatch(/^mda_/);
    const api = (path: string) =>
      service.http(hosts.a, `/api/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` } });
    expect((await api(`/tenants/${hosts.a}/clients`)).status).toBe(200);
    expect((await api(`/tenants/${hosts.a}/members`)).status).toBe(403);
    expect((await tina.send(`${home}/tokens`)).text).not.toContain(secret);
  });
});
