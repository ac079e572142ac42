import { beforeAll, describe, expect, it } from 'vitest';
import { newPassword } from '../../../support/members/sign-up.ts';
import { run } from '../../../support/operators/desk.ts';
import { mainOf, newAdmin, type PortalVisitor } from '../../../support/operators/portal.ts';
import { beginWorld, newSession, newSubscription, type World } from '../../../support/operators/world.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
const minute = 60_000;
let world: World;
let other: World;
let tina: PortalVisitor;
let home: string;

beforeAll(async () => {
  world = await beginWorld(service, 'page.test');
  other = await beginWorld(service, 'elsewhere.test');
  tina = await newAdmin(service, world.host, 'tina@page.test');
  home = `/admin/tenants/${world.host}`;
});

const make = async (fullName: string, email: string) =>
  (await world.operate('members.create', { fullName, email, password: newPassword, emailVerified: true })).id;
const pageOf = async (id: string, more = '') => mainOf(await tina.send(`${home}/members/${id}${more}`));
const heads = (page: string) => [
  ...page.matchAll(/<section class="call[^"]*">\s*<div>\s*<h2>([\s\S]*?)<\/h2>/g),
];

describe('the page of a member', () => {
  it('says nothing if she can sign in, else why she cannot, in one sentence, with what helps', async () => {
    const id = await make('Eva Page', 'eva@page.test');
    expect(heads(await pageOf(id))).toEqual([]);
    await run(service, 'members.disable', { tenant: world.host, memberId: id });
    const page = await pageOf(id);
    expect(heads(page).map(([, title]) => title)).toEqual([
      '<bdi>Eva Page</bdi> cannot sign in: the account is disabled',
    ]);
    expect(page).toMatch(/<form method="post" action="[^"]*\/\+enable">/);
  });

  it('shows what she may see and through what, what she has, and where she is signed in', async () => {
    const { productId, operate, memberId } = world;
    await operate('channels.define', { channelId: 'sport', name: 'Sport live', productIds: [productId] });
    await operate('channels.define', { channelId: 'other', name: 'Nobody has it', productIds: [] });
    await newSubscription(world);
    await newSession(world);
    const page = await pageOf(memberId);
    expect(page).toMatch(/Sport live[\s\S]*through <bdi>Gold<\/bdi> \(<bdi>Sport<\/bdi>\), until <time/);
    expect(page).toMatch(/Nobody has it[\s\S]*No product opens this channel/);
    expect(page).toMatch(/Signed in on[\s\S]*\/\+end-sign-in[^>]*>Sign out/);
  });

  it('D14: a name that looks like markup is shown as a name everywhere', async () => {
    const name = '<img src=x onerror=alert(1)> "&amp;';
    const id = await make(name, 'markup@page.test');
    await world.operate('members.disable', { memberId: id });
    for (const path of ['', '/timeline', '/+delete']) {
      const { text } = await tina.send(`${home}/members/${id}${path}`);
      expect(text, path).not.toContain('<img src=x');
      expect(text, path).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;&amp;amp;');
    }
  });

  it('tells what happened in words, and each part of it alone', async () => {
    const id = await make('Tim Line', 'tim@page.test');
    service.clock.advance(minute);
    await world.operate('members.sendPasswordReset', { memberId: id });
    const all = await pageOf(id);
    expect(all).toContain('Email “Choose a new password”');
    expect(all).toMatch(/An operator|at the server/);
    const mail = await pageOf(id, '?part=mail');
    expect(mail).toMatch(/aria-current="true">Mail</);
    expect(mail).not.toContain('added the member');
    expect(await pageOf(id, '/timeline?part=money')).toContain('Nothing yet.');
    expect((await tina.send(`${home}/members/${id}/timeline?before=x`)).status).toBe(400);
  });

  it('A17: is not there for a member of another tenant', async () => {
    for (const path of ['', '/timeline', '/access']) {
      expect((await tina.send(`${home}/members/${other.memberId}${path}`)).status).toBe(404);
      expect((await tina.send(`/admin/tenants/${other.host}/members/${other.memberId}${path}`)).status).toBe(
        404,
      );
    }
  });
});

describe('the search of the portal', () => {
  it('leads straight to the one thing with that name, and lists what only begins with it', async () => {
    const id = await make('Only One', 'only@page.test');
    const exact = await tina.send(`${home}/search?search=only%40page.test`);
    expect({ status: exact.status, to: exact.headers.location }).toEqual({
      status: 303,
      to: `${home}/members/${id}`,
    });
    const listed = await tina.send(`${home}/search?search=only`);
    expect(listed.status).toBe(200);
    expect(mainOf(listed)).toContain(`<a href="${home}/members/${id}">`);
  });

  it('shows the searched words as text, finds nothing by signs, and may be empty', async () => {
    for (const search of ['', ' ', '%', '<script>alert(1)</script>', '"><i>']) {
      const page = await tina.send(`${home}/search?search=${encodeURIComponent(search)}`);
      expect(page.status, search).toBe(200);
      expect(page.text).not.toContain('<script>alert(1)');
      expect(page.text).not.toContain('"><i>');
      if (/^[ %]*$/.test(search)) expect(mainOf(page)).not.toContain('/members/');
    }
    expect((await tina.send(`${home}/search`)).status).toBe(200);
  });

  it('pages 8: leads from the reference of a refusal to the member whom it concerns', async () => {
    const id = await make('Refused Once', 'refused@page.test');
    const event = { event: 'sign_in_refused', actorKind: 'nobody', result: 'refused', target: id } as const;
    const facts = {
      at: service.clock.now(),
      tenantId: world.tenantId,
      reference: 'ab12cd34',
      reason: 'the password is wrong',
    };
    await service.store.transaction((tx) =>
      tx
        .insertInto('auditEvents')
        .values({ ...event, ...facts } as never)
        .execute(),
    );
    const page = mainOf(await tina.send(`${home}/search?search=AB12-CD34`));
    expect(page).toContain(`<a href="${home}/members/${id}">`);
    expect(page).toContain('Refused ');
    expect(page).toContain(`href="${home}/refusals/ab12cd34"`);
    const why = mainOf(await tina.send(`${home}/refusals/ab12cd34`));
    expect(why).toContain('A member did not prove who it is, or may not sign in.');
    expect(why).toContain(`<a href="${home}/members/${id}">`);
    expect((await tina.send(`${home}/refusals/zzzzzzzz`)).status).toBe(404);
  });
});
