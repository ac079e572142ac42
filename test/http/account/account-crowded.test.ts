import { beforeAll, describe, expect, it } from 'vitest';
import { accountListLength, accountPageBytes } from '../../../src/core/members/limits.ts';
import { findMemberByEmail } from '../../../src/storage/members/member.ts';
import { tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { type AccountVisitor, accountOf, valuesOf } from '../../support/members/account.ts';
import { crowd, fillMember } from '../../support/members/crowd.ts';
import { rowsReadBy } from '../../support/queries/rows-read.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let account: AccountVisitor;

beforeAll(async () => {
  const { id: tenantId } = tenantOf(service, hosts.a);
  const found = await service.store.transaction((tx) => findMemberByEmail(tx, tenantId, 'u1@example.test'));
  const memberId = String(found?.member.id);
  await fillMember(service.store, { tenantId, memberId, clientId: 'pub1' }, service.clock.now());
  account = await accountOf(service, hosts.a);
});

/** The address of the next page, if there is one. */
const olderOf = ({ text }: Answer) =>
  /<a href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');

const pages = ['', '/devices', '/sessions', '/subscriptions', '/consents', '/details', '/data'] as const;

describe('a member with ten thousand of everything', () => {
  it.each(pages)('F10: sees pages of less than 60 KB, made of a few rows: /account%s', async (page) => {
    for (
      let at: string | undefined = `/account${page}`, count = 0;
      at !== undefined && count < 3;
      count += 1
    ) {
      const { result, rows } = await rowsReadBy(() => account.send(String(at)));
      expect(result.status).toBe(200);
      expect(Buffer.byteLength(result.text)).toBeLessThan(accountPageBytes);
      expect(rows).toBeLessThan(200);
      at = olderOf(result);
    }
  });

  it.each([
    ['/account/devices', 'signIn', crowd.signIns],
    ['/account/sessions', 'session', crowd.sessions],
    ['/account/subscriptions', 'subscription', crowd.subscriptions],
  ])('F10: finds every entry of a list once, page by page: %s', async (url, field, count) => {
    const seen = new Set<string>();
    const pages = Math.min(count / accountListLength, 60);
    let at: string | undefined = url;
    for (let walked = 0; walked < pages && at !== undefined; walked += 1) {
      const page: Answer = await account.send(at);
      for (const value of valuesOf(page, field)) seen.add(value);
      at = olderOf(page);
    }
    expect(seen.size).toBe(pages * accountListLength);
  });

  it.each(pages)(
    'F10: makes no format of a language anew for a page that was seen before: /account%s',
    async (page) => {
      await account.send(`/account${page}`);
      const kinds = [
        'DateTimeFormat',
        'NumberFormat',
        'RelativeTimeFormat',
        'ListFormat',
        'DisplayNames',
      ] as const;
      const usual = { ...Object.fromEntries(kinds.map((kind) => [kind, Intl[kind]])) };
      let made = 0;
      for (const kind of kinds) {
        const counting = new Proxy(Intl[kind], {
          construct: (format, values, target) => {
            made += 1;
            return Reflect.construct(format, values, target) as object;
          },
        });
        Object.assign(Intl, { [kind]: counting });
      }
      try {
        await account.send(`/account${page}`);
      } finally {
        Object.assign(Intl, usual);
      }
      expect(made).toBe(0);
    },
  );

  it('F10: renames a TV of another page, and stays on that page', async () => {
    const second = String(olderOf(await account.send('/account/devices')));
    const page = await account.send(second);
    const [id = ''] = valuesOf(page, 'signIn');
    const [token = ''] = valuesOf(page, 'token');
    const answer = await account.send(second, {
      body: { token, signIn: id, action: 'rename', label: 'Attic' },
    });
    expect(answer.status).toBe(303);
    const after = await account.send(String(answer.headers.location));
    expect(after.text).toContain('Attic');
    expect(valuesOf(after, 'signIn')).toContain(id);
  });

  it('F10: answers the consents of one page, and leaves those of the others', async () => {
    const second = String(olderOf(await account.send('/account/consents')));
    const page = await account.send(second);
    const [token = ''] = valuesOf(page, 'token');
    const [asked = ''] = valuesOf(page, 'asked');
    expect(asked.split(' ')).toHaveLength(accountListLength);
    const { result, rows } = await rowsReadBy(() => account.send(second, { body: { token, asked } }));
    expect(result.status).toBe(303);
    expect(rows).toBeLessThan(200);
    const after = await account.send(String(result.headers.location));
    expect(after.text).not.toContain('type="checkbox" value="yes" checked');
    expect((await account.send('/account/consents')).text).toContain('type="checkbox" value="yes" checked');
  });

  it('F10: a page that is asked for by nonsense is the first', async () => {
    const [first] = valuesOf(await account.send('/account/devices'), 'signIn');
    for (const before of ['', '%00', "'", 'x'.repeat(500)]) {
      expect(valuesOf(await account.send(`/account/devices?before=${before}`), 'signIn')[0]).toBe(first);
    }
  });
});
