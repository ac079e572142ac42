import { createHash } from 'node:crypto';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { newAddressOf, takesForm } from '../../../../src/http/admin/portal/addresses.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import type { Answer, Ask } from '../../../support/http.ts';
import { newAdmin, type PortalVisitor, portalOf, signInToPortal } from '../../../support/operators/portal.ts';
import { act, inputFor, openForm, readAddress } from '../../../support/operators/portal-forms.ts';
import { beginWorld, type World } from '../../../support/operators/world.ts';
import { useService } from '../../../support/use-service.ts';
import { field, visitor } from '../../../support/visitor.ts';

const home = 'home.test';
const sam = 'sam@example.test';

const service = useService({ data: 'nothing' });
let browser: PortalVisitor;
let world: World;

beforeAll(async () => {
  await beginWorld(service, home);
  browser = await newAdmin(service, home, sam, 'system_admin');
  world = await beginWorld(service, 'world.test');
});

/** The same browser; each of its answers is held to the rules. */
const held = {
  send: async (path: string, ask?: Ask): Promise<Answer> => {
    const answer = await browser.send(path, ask);
    expectSafe(answer);
    return answer;
  },
};

function expectSafe(answer: Answer): void {
  const { headers, text } = answer;
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  for (const name of ['server', 'x-powered-by', 'access-control-allow-origin']) {
    expect(headers[name]).toBeUndefined();
  }
  for (const line of headers['set-cookie'] ?? []) {
    const sameSite = line.startsWith('__Host-memberdoor-admin=') ? 'Strict' : 'Lax';
    expect(line).toMatch(/^__Host-memberdoor-(?:admin|browser|done)=/);
    expect(line.split('; ')).toEqual(
      expect.arrayContaining(['Path=/', 'HttpOnly', 'Secure', `SameSite=${sameSite}`]),
    );
    expect(line).not.toMatch(/domain=/i);
  }
  if (headers['content-type'] === 'text/html; charset=utf-8') expectSafePage(answer);
  else if (text !== '')
    expect(headers['content-disposition'] ?? headers['content-type']).toMatch(/^attachment|json/);
}

function expectSafePage({ headers, text }: Answer): void {
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  const [style, ...others] = [...text.matchAll(/<style>([^<]*)<\/style>/g)].map(([, sheet]) => String(sheet));
  expect(others).toEqual([]);
  const hash = createHash('sha256').update(String(style)).digest('base64');
  // An import at work is told from where it stands, and what tells of it is of this origin too.
  const isAtWork = text.includes(' data-live="');
  expect(headers['content-security-policy']).toBe(
    `default-src 'none';script-src 'self';style-src 'sha256-${hash}';img-src 'self' data:;object-src 'none';` +
      `base-uri 'none';form-action 'self';frame-ancestors 'none'${isAtWork ? ";connect-src 'self'" : ''}`,
  );
  // Nothing inline, and nothing of another origin.
  const scripts = text.match(/<script\b[^>]*>/g) ?? [];
  expect(scripts.length).toBeLessThanOrEqual(1);
  for (const script of scripts) expect(script).toMatch(/^<script src="\/admin\/assets\/[\w-]+\.js" defer>$/);
  const tags = text.match(/<[a-z][^>]*>/gi) ?? [];
  const inline = /\s(?:on\w+|style|srcdoc|formaction|srcset|ping)=/i;
  expect(tags.filter((tag) => inline.test(tag.replaceAll(/"[^"]*"/g, '""')))).toEqual([]);
  const addresses = [...tags.join('').matchAll(/ (?:src|href|action)="([^"]*)"/g)].map(([, one]) =>
    String(one),
  );
  expect(addresses.filter((address) => !/^(?:\/(?!\/)|#|\?|data:)/.test(address))).toEqual([]);
  const script = 1_000;
  expect(Buffer.byteLength(text) + script).toBeLessThan(60_000);
}

describe('W1, W2, U24: safe headers, nothing inline, nothing from elsewhere and under 60 KB', () => {
  it.each(operations.map((operation) => ({ name: operation.name, operation })))(
    'has every answer at the addresses of $name',
    async ({ operation }) => {
      const input = await inputFor(world, operation);
      if (!takesForm(operation)) {
        const path = readAddress(operation, input);
        expect((await held.send(path)).status).toBe(200);
        expectSafe(await browser.send(path, { method: 'DELETE' }));
        return;
      }
      const { path } = await openForm(held, operation, input);
      const above = newAddressOf(operation, input);
      if (above !== null) await held.send(above);
      expect((await held.send(path, { body: { token: 'another' } })).status).toBe(403);
      expect((await held.send(path, { body: {}, headers: { origin: 'https://evil.test' } })).status).toBe(
        403,
      );
      const { page } = await openForm(browser, operation, input);
      await held.send(path, { body: { token: field(page, 'token'), form: 'none' } });
      await held.send(path, { body: '{}', headers: { 'content-type': 'application/json' } });
      // What an empty form does already is refused now, or done to something else.
      const done = await act(held, operation, await inputFor(world, operation));
      expect([200, 303, 422]).toContain(done.status);
      if (done.status === 303) await held.send(String(done.headers.location));
    },
  );

  const stranger = () => visitor(service, home);
  const whileLocked = async (ask: () => Promise<Answer>) => {
    const other = new SQLite(join(service.folder, 'memberdoor.db'));
    other.exec('begin immediate');
    try {
      return await ask();
    } finally {
      other.close();
    }
  };
  const others: Readonly<Record<string, [number, () => Promise<Answer>]>> = {
    'the first page': [303, () => browser.send('/admin')],
    'a page that there is not': [404, () => browser.send('/admin/nothing')],
    'a tenant that there is not': [404, () => browser.send('/admin/tenants/no.test')],
    'a list that is narrowed wrongly': [
      422,
      () => browser.send(`/admin/tenants/${home}/audit?event=nothing`),
    ],
    'a stranger': [303, () => stranger().send('/admin/tenants')],
    'a link of another site': [
      200,
      () => stranger().send('/admin/tenants', { headers: { 'sec-fetch-site': 'cross-site' } }),
    ],
    'the sign-in': [200, () => stranger().send('/admin/sign-in')],
    'a sign-in of another site': [
      403,
      () =>
        stranger().send('/admin/sign-in', { body: { email: 'x' }, headers: { origin: 'https://evil.test' } }),
    ],
    'a sign-in that fails': [422, () => signInToPortal(stranger(), sam, 'not the password')],
    'a sign-in that succeeds': [303, () => signInToPortal(stranger(), sam)],
    'a body that is too large': [
      413,
      () => stranger().send('/admin/sign-in', { body: { email: 'x'.repeat(20_000) } }),
    ],
    'a method that is not served': [405, () => browser.send('/admin/sign-in', { method: 'PUT' })],
    'a service that cannot write': [503, () => whileLocked(() => signInToPortal(stranger(), sam))],
    'a sign-out of another session': [403, () => browser.send('/admin/sign-out', { body: { token: 'x' } })],
    'a sign-out': [
      303,
      async () => {
        const one = await portalOf(service, home, sam);
        const page = await one.send('/admin/tenants');
        return one.send('/admin/sign-out', { body: { token: field(page, 'token') } });
      },
    ],
  };

  it.each(Object.entries(others))('has %s', async (_what, [status, ask]) => {
    const answer = await ask();
    expect(answer.status, answer.text).toBe(status);
    expectSafe(answer);
  });

  it('has a limit that is reached', async () => {
    let answer = await signInToPortal(stranger(), 'nobody@example.test', 'wrong');
    while (answer.status === 422) answer = await signInToPortal(stranger(), 'nobody@example.test', 'wrong');
    expect(answer.status).toBe(429);
    expectSafe(answer);
  });
});
