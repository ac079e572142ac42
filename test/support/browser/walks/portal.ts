// The pages of the portal, and how an administrator comes to see each.
import { hashEmail } from '../../../../src/core/members/member-limits.ts';
import { problem } from '../../../../src/core/problem.ts';
import { insertImport } from '../../../../src/storage/imports/import.ts';
import { saveSignInFailures } from '../../../../src/storage/members/guesses/sign-in-failure.ts';
import { run } from '../../operators/desk.ts';
import { type PortalVisitor, portalOf } from '../../operators/portal.ts';
import { figureRecords } from '../../records/figure-records.ts';
import { importRecord } from '../../records/import.ts';
import type { View } from '../browser.ts';
import { send } from '../forms.ts';
import { password, registerClients, type Site } from '../site.ts';
import type { Walk, Way } from '../way.ts';
import { linkAccounts } from './providers.ts';

type Go = Way['go'];

/** Keeps a member out in every way at once. @returns the id */
async function keepOut({ service }: Site, tenant: string, tenantId: string): Promise<string> {
  const made = { tenant, fullName: `Kept ${'very '.repeat(8)}Out`, email: 'kept@example.com' };
  const { id: memberId } = await run<{ id: string }>(service, 'members.create', made);
  const at = service.clock.now();
  const refused = {
    tenantId,
    event: 'sign_in_refused',
    actorKind: 'nobody',
    target: memberId,
    result: 'refused',
  };
  const told = { reason: 'the password is wrong', browser: 'Chrome on Android', reference: 'ab12cd34' };
  await service.store.transaction(async (tx) => {
    for (let index = 0; index < 9; index += 1) {
      const address = `2001:db8:1:2:3:4:5:${index}`;
      await tx
        .insertInto('auditEvents')
        .values({ ...refused, ...told, address, at: at + index } as never)
        .execute();
    }
    await saveSignInFailures(tx, tenantId, hashEmail(made.email), { failures: 9, lastFailedAt: at });
    await tx
      .updateTable('members')
      .set({ deletionDueAt: at + 86_400_000 })
      .where('id', '=', memberId)
      .execute();
  });
  await run(service, 'members.disable', { tenant, memberId });
  return memberId;
}

/** Puts an import there that no worker is at. @returns the id */
export async function beginImport(
  { service }: Site,
  tenantId: string,
  work: 'checked' | 'take',
): Promise<string> {
  const now = service.clock.now();
  const id = service.deps.random.id(now);
  const refusedLines = [7, 1_204, 39_998].map((line) => ({ line, problems: [problem('email', 'missing')] }));
  const counts = { added: 20_412, changed: 0, skipped: 87, refused: 31 };
  const trial = { ...counts, readTo: 200, line: 40_000, withoutPassword: 12, refusedLines };
  const one = importRecord(id, tenantId, {
    ...{ work, trial, ...counts, fileHash: '', endedAt: null, readTo: 113 },
    fileName: `members-${'of-the-old-shop-'.repeat(6)}.json`,
    head: {
      format: 'firebase',
      layout: 'elements',
      delimiter: '',
      columns: [],
      begins: { offset: 0, line: 1 },
    },
  });
  await service.store.transaction((tx) => insertImport(tx, one));
  return id;
}

export function portalWalk(site: Site): Walk {
  let admin: PortalVisitor;
  /** The address of the first page, and of everything on it. */
  let home: string;
  /** A member with subscriptions, a TV and a browser. */
  let member: string;
  /** One who cannot sign in for several reasons, and to whom much happened. */
  let kept: string;

  /** An import of each kind. */
  const imports = { checked: '', take: '' };

  /** The reference of a request that was refused. */
  let refused: string;

  const prepare = async () => {
    const { host } = new URL(site.issuer);
    admin = await portalOf(site.service, host, 'sam@example.com', password);
    home = `${site.issuer}/admin/tenants/${host}`;
    await registerClients(site.service, [
      {
        clientId: 'everything',
        name: `The ${'very'.repeat(11)} Long Name`,
        type: 'confidential',
        secret: 'x',
        redirectUris: [`https://app.example.com/${'path/'.repeat(20)}`],
        deviceFlow: true,
        idTokenAlgorithm: 'ES256',
      },
    ]);
    // A full page of a list, each with as much in it as there can be.
    for (let index = 0; index < 20; index += 1) {
      await run(site.service, 'products.create', {
        tenant: host,
        name: `Product ${index} ${'w'.repeat(80)}`,
      });
      await run(site.service, 'clients.change', { tenant: host, clientId: 'everything', webOrigins: [] });
    }
    const uri = encodeURIComponent(`https://app.example.com/${'other/'.repeat(30)}`);
    const answer = await site.service.http(host, `/api/oidc/auth?client_id=everything&redirect_uri=${uri}`);
    refused = /Reference: (\w+)/.exec(answer.text)?.[1] ?? '';
    await linkAccounts(site, 'ada@example.com');
    const found = await run<{ members: readonly { id: string }[] }>(site.service, 'members.list', {
      tenant: host,
      search: 'ada@',
    });
    member = String(found.members[0]?.id);
    const { tenantId } = await site.service.store.transaction((tx) =>
      tx.selectFrom('members').select('tenantId').where('id', '=', member).executeTakeFirstOrThrow(),
    );
    kept = await keepOut(site, host, tenantId);
    await site.service.store.transaction((tx) =>
      tx.insertInto('figures').values(figureRecords(tenantId, site.service.clock.now())).execute(),
    );
    for (const work of ['checked', 'take'] as const) imports[work] = await beginImport(site, tenantId, work);
    const long =
      'ada.with.a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com';
    await run(site.service, 'members.change', { tenant: host, memberId: member, email: long });
  };

  /** Gives the view the session of an administrator. */
  const enter = ({ context }: View) =>
    context.addCookies(
      [...admin.cookies].map(([name, value]) => ({ name, value, url: site.issuer, httpOnly: true })),
    );

  const at =
    (path: string): Go =>
    async (view) => {
      await enter(view);
      await view.page.goto(`${home}${path}`);
    };

  /** A page of a form that was sent with these fields. */
  const sent =
    (path: string, fields: Readonly<Record<string, string>>, button = '[type=submit]'): Go =>
    async (view) => {
      await at(path)(view);
      const filled = Object.entries(fields).map(([id, value]) => [`#f-${id}`, value]);
      await send(view.page, Object.fromEntries(filled), `main button${button}`);
    };

  /** Each kind of page, and the way a browser comes to see it. */
  const pages: Readonly<Record<string, Go>> = {
    'sign-in': ({ page }) => page.goto(`${site.issuer}/admin`),
    'sign-in with an error': async ({ page }) => {
      await page.goto(`${site.issuer}/admin`);
      await send(page, { '#f-email': 'tina@example.com' }, 'main button');
    },
    overview: at(''),
    'overview of a year': at('?range=52w'),
    'figures as a table': at('/figures'),
    'list of tenants': async (view) => {
      await enter(view);
      await view.page.goto(`${site.issuer}/admin/tenants`);
    },
    'list of clients': at('/clients'),
    'list of members, narrowed': at('/members?userType=member'),
    'list with an error': at('/audit?event=nothing'),
    audit: at('/audit'),
    client: async (view) => {
      await at('/clients/everything')(view);
      await view.page.evaluate(
        'document.querySelectorAll("details.setting").forEach((one) => { one.open = true; })',
      );
    },
    member: (view) => at(`/members/${member}`)(view),
    'member who cannot sign in': async (view) => {
      await at(`/members/${kept}`)(view);
      await view.page.evaluate('document.querySelector("main .others summary").click()');
    },
    'time line of a member': (view) => at(`/members/${kept}/timeline?part=sign_ins`)(view),
    search: at('/search?search=a'),
    'why a request was refused': (view) => at(`/refusals/${refused}`)(view),
    'form for a client': at('/clients/+create'),
    'form with an error': sent('/clients/+create', { name: 'x', address: 'http://evil.example/' }),
    'form for a client with all of it': sent(
      '/clients/+create',
      { name: 'x', address: 'app.example.com' },
      '[value=rest]',
    ),
    'form to edit a client': async (view) => {
      await at('/clients/everything/+change')(view);
      await view.page.evaluate(
        'document.querySelectorAll("details.part").forEach((one) => { one.open = true; })',
      );
    },
    'import at work': (view) => at(`/imports/${imports.take}`)(view),
    'import that was checked': (view) => at(`/imports/${imports.checked}`)(view),
    'form for hash parameters': (view) => at(`/imports/${imports.checked}/+set-hash-parameters`)(view),
    'form for an import': at('/imports/+create'),
    'list of other providers': at('/identity-providers'),
    'other provider': at('/identity-providers/google'),
    'form for another provider': at('/identity-providers/+create'),
    'form to edit another provider': at('/identity-providers/silent/+change'),
    'accounts of a member elsewhere': (view) => at(`/members/${member}/linked-accounts`)(view),
    'form for a tenant': at('/+change'),
    'editor of the look': at('/+change/look'),
    'page of a group of settings': at('/+change/registration'),
    'form for a webhook': at('/webhooks/+create'),
    'form for a subscription': (view) => at(`/members/${member}/subscriptions/+create`)(view),
    'form that ends something': at('/clients/spa/+disable'),
    'form that deletes a member': (view) => at(`/members/${member}/+delete`)(view),
    confirmation: sent('/keys/+rotate', { emergency: 'on' }),
    secret: sent('/tokens/+create', { name: 'deployment', 'permissions-0': 'on' }),
    'error, not found': at('/nothing'),
  };
  const ways = Object.fromEntries(Object.entries(pages).map(([name, go]) => [name, { email: null, go }]));
  return { prepare, ways };
}
