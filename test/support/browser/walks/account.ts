// The pages of the account area, and how a signed-in member comes to see each.
import type { Route } from 'playwright-core';
import { findMemberByEmail } from '../../../../src/storage/members/member.ts';
import { findPasskey, insertPasskey } from '../../../../src/storage/members/passkey.ts';
import { phoneOf, pollTokens } from '../../device.ts';
import { linkIn } from '../../mails/outbox.ts';
import { run } from '../../operators/desk.ts';
import { giveLongRecords } from '../../records/long-records.ts';
import { passkeyRecord } from '../../records/records.ts';
import { send } from '../forms.ts';
import { newSession, password, registerClients, type Site, turnOnFor } from '../site.ts';
import { television } from '../television.ts';
import type { Walk, Way, Ways } from '../way.ts';
import { giveProviders, knowGoogle, linkAccounts } from './providers.ts';

/** Reads English, and has two TVs and two browsers. */
export const member = 'ida@example.com';
const arabic = 'huda@example.com';
/** Reads German, whose words are the longest. */
const longMember = 'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com';

/** Approves a TV on a phone of the member's, and lets it fetch its tokens. */
export async function signInTv(
  { service, issuer }: Site,
  email: string,
  clientId: string,
  more: Record<string, string>,
): Promise<void> {
  const { host } = new URL(issuer);
  const phone = await phoneOf(service, host, email, password);
  const codes = await (await television(issuer, clientId)).requestCode(more);
  await phone.approve(codes.user_code);
  await pollTokens(service, host, codes.device_code, { clientId });
}

/** Gives a member a passkey, if there is none yet. @returns its id */
export async function givePasskey(site: Site, email: string): Promise<string> {
  const { service, issuer } = site;
  const tenantId = String(service.tenants.byHost(new URL(issuer).host)?.id);
  return service.store.transaction(async (tx) => {
    const found = await findMemberByEmail(tx, tenantId, email);
    if (found === null) throw new Error(`${email} is missing`);
    const { id: memberId } = found.member;
    const id = `passkey-${memberId}`;
    const isThere = (await findPasskey(tx, memberId, id)) !== null;
    const times = { createdAt: service.clock.now(), lastUsedAt: service.clock.now() };
    const passkey = passkeyRecord({ id, tenantId, memberId, credentialId: id, ...times });
    if (!isThere) await insertPasskey(tx, passkey);
    return id;
  });
}

/** Gives a member a subscription with seats, some of them given, once. @returns its number */
export async function giveSeats(site: Site, email: string): Promise<number> {
  const { service, issuer } = site;
  const tenant = new URL(issuer).host;
  const known = await service.store.transaction((tx) =>
    tx
      .selectFrom('seatGroups')
      .innerJoin('subscriptions', 'subscriptions.id', 'seatGroups.subscriptionId')
      .innerJoin('members', 'members.id', 'subscriptions.memberId')
      .select('subscriptionId')
      .where('members.email', '=', email)
      .executeTakeFirst(),
  );
  if (known !== undefined) return known.subscriptionId;
  const { packages } = await run<{ packages: readonly { id: number }[] }>(service, 'packages.list', {
    tenant,
  });
  const input = { tenant, memberId: email, packageId: packages[0]?.id };
  const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
  await run(service, 'groups.create', { tenant, subscriptionId, seats: 25 });
  const networks = ['203.0.114.0/24', '2a00:1450:1234:5678::/64'];
  await run(service, 'groups.change', { tenant, subscriptionId, networks });
  const long = 'a.guest.with.a.very.long.address@department.school.of.a.long.domain.example';
  for (const guest of ['guest1@school.example', long, 'max@example.com']) {
    await run(service, 'seats.invite', { tenant, subscriptionId, email: guest });
  }
  return subscriptionId;
}

export function accountWalk(site: Site): Walk {
  const at = (path: string, email = member): Way => ({
    email,
    go: ({ page }) => page.goto(`${site.issuer}/account${path}`),
  });

  /** A page of a form that was sent with these fields. */
  const sent = (path: string, fields: Record<string, string>): Way => ({
    email: member,
    go: async ({ page }) => {
      await page.goto(`${site.issuer}/account/${path}`);
      const named = Object.entries(fields).map(([name, value]) => [`[name=${name}]`, value]);
      await send(page, Object.fromEntries(named));
    },
  });

  const notMe: Way = {
    email: member,
    go: async ({ page }) => {
      await newSession(site, member);
      await site.service.delivered();
      const mail = site.service.outbox.sent.findLast(({ name }) => name === 'newBrowser');
      if (mail === undefined) throw new Error('no notice');
      await page.goto(linkIn(mail));
    },
  };

  /** The same of a member who has turned two-step sign-in on. */
  const withFactor = (path: string, email: string): Way => ({
    email,
    go: async (view) => {
      await turnOnFor(site, email);
      await at(`/two-step${path}`, email).go(view);
    },
  });

  /** The same of a member who has a passkey. */
  const withPasskey = (path: string, email = 'max@example.com'): Way => ({
    email,
    go: async (view) => {
      const id = await givePasskey(site, email);
      await at(`/${path}`.replace('{id}', id), email).go(view);
    },
  });

  /** The page of the seats of a subscription that a member holds, some of them given. */
  const withSeats = (path: string, email = member): Way => ({
    email,
    go: async (view) => {
      await at(`/seats/${await giveSeats(site, email)}${path}`, email).go(view);
    },
  });

  /** The same of a member who has linked accounts of other providers. */
  const linked = (path: string, email = member): Way => ({
    email,
    go: async (view) => {
      await linkAccounts(site, email);
      await at(path, email).go(view);
    },
  });

  /** Each page of the account area, and how a signed-in member comes to see it. */
  const ways: Ways = {
    overview: at('', 'ada@example.com'),
    'overview, no subscription': at('', 'max@example.com'),
    'devices after a change': {
      email: member,
      go: async ({ page }) => {
        await page.goto(`${site.issuer}/account/devices`);
        await page.evaluate('document.querySelector("main summary").click()');
        await send(page, {}, 'button[value=rename]');
        await page.locator('[role=status]').waitFor();
      },
    },
    'overview of an account to be deleted': {
      email: 'kim@example.com',
      go: async (view) => {
        await sent('delete', { currentPassword: password }).go(view);
        await view.page.goto(`${site.issuer}/account`);
      },
    },
    'overview, Arabic': at('', arabic),
    'overview, long': at('', longMember),
    devices: at('/devices'),
    'devices, Arabic': at('/devices', arabic),
    'devices, long': at('/devices', longMember),
    'devices, none': at('/devices', 'max@example.com'),
    'devices with an error': {
      email: member,
      go: async ({ page }) => {
        await page.goto(`${site.issuer}/account/devices`);
        await page.evaluate('document.querySelector("main summary").click()');
        await send(page, { 'input[name=label]': 'x'.repeat(61) }, 'button[value=rename]');
      },
    },
    sessions: at('/sessions'),
    'sessions, Arabic': at('/sessions', arabic),
    'subscriptions, about to cancel': {
      email: 'dee@example.com',
      go: async ({ page }) => {
        await page.goto(`${site.issuer}/account/subscriptions`);
        await page.evaluate('document.querySelector("main summary").click()');
      },
    },
    'subscriptions, Arabic': at('/subscriptions', arabic),
    'subscriptions, long': at('/subscriptions', longMember),
    seats: withSeats(''),
    'seats, long, Arabic': withSeats('', arabic),
    'seats, one found': withSeats('?search=guest1'),
    'seats without an invitation': withSeats('/ways'),
    'seats without an invitation, Arabic': withSeats('/ways', arabic),
    'seats with an error': {
      email: member,
      go: async (view) => {
        await withSeats('').go(view);
        const guests = 'no address\nguest1@school.example';
        await send(view.page, { textarea: guests }, 'button[value=invite]');
      },
    },
    'seats, to join': at('/seats/join', 'max@example.com'),
    consents: at('/consents'),
    'consents after saving, Arabic': {
      email: arabic,
      go: async ({ page }) => {
        await page.goto(`${site.issuer}/account/consents`);
        await page.locator('input[type=checkbox]').first().check();
        await page.click('button.primary');
      },
    },
    'consents, long': at('/consents', longMember),
    details: at('/details', 'ada@example.com'),
    'details with an error': sent('details', { fullName: '', phone: '12' }),
    'address with an error': sent('address', { country: 'Atlantis' }),
    'details, Arabic': at('/details', arabic),
    email: at('/email'),
    'email with an error': sent('email', { email: 'no address' }),
    'email, digits': sent('email', { email: 'ida.new@example.com', currentPassword: password }),
    'email, link': {
      email: member,
      go: async (view) => {
        await sent('email', { email: 'ida.link@example.com', currentPassword: password }).go(view);
        await site.service.delivered();
        await view.page.goto(linkIn(site.service.outbox.last('ida.link@example.com')));
      },
    },
    passkeys: withPasskey('passkeys'),
    'passkeys, Arabic': withPasskey('passkeys', arabic),
    'passkeys, a new one': at('/passkeys/new'),
    'passkeys, a new one after a while': at('/passkeys/confirm', 'max@example.com'),
    'passkeys, a new one beside an app': {
      email: 'liv@example.com',
      go: async (view) => {
        await turnOnFor(site, 'liv@example.com');
        await at('/passkeys/confirm').go(view);
      },
    },
    'passkeys, removed': withPasskey('passkeys/remove?passkey={id}'),
    'password, removed': withPasskey('password/remove'),
    password: at('/password'),
    'password with an error': sent('password', { currentPassword: 'wrong', password: 'short' }),
    'two-step': at('/two-step'),
    'two-step, Arabic': at('/two-step', arabic),
    'two-step with an error': sent('two-step', { code: '000000', currentPassword: password }),
    'two-step, on': withFactor('', 'liv@example.com'),
    'two-step, off': withFactor('/off', 'liv@example.com'),
    'two-step, new codes': withFactor('/codes', 'liv@example.com'),
    'other accounts': linked('/accounts'),
    'other accounts, Arabic': linked('/accounts', arabic),
    'other accounts, none': at('/accounts', 'max@example.com'),
    'other accounts, a new one': at('/accounts/connect/google', 'max@example.com'),
    'other accounts, on the way to one': {
      email: 'max@example.com',
      go: async (view) => {
        knowGoogle(site);
        // The page leads on at once: too soon to be looked at.
        const stayed = async (route: Route) => {
          const response = await route.fetch();
          const { refresh: _, ...headers } = response.headers();
          await route.fulfill({ response, headers });
        };
        await view.page.route('**/connect/google', stayed);
        await sent('accounts/connect/google', { currentPassword: password }).go(view);
        await view.page.unroute('**/connect/google', stayed);
      },
    },
    'other accounts, a new one that does not answer, an error': {
      email: 'max@example.com',
      go: async (view) => {
        await sent('accounts/connect/silent', { currentPassword: password }).go(view);
      },
    },
    privacy: at('/privacy'),
    'privacy, Arabic': at('/privacy', arabic),
    data: at('/data'),
    delete: at('/delete'),
    'not me': notMe,
    'not me, signed out': {
      email: member,
      go: async (view) => {
        await notMe.go(view);
        await send(view.page, {}, 'button.danger');
      },
    },
  };

  const prepare = async () => {
    const app = { type: 'public', deviceFlow: true } as const;
    const longName = `The ${'very'.repeat(11)} Long Name`;
    await registerClients(site.service, [
      { ...app, clientId: 'play', name: 'Acme Play' },
      { ...app, clientId: 'play-long', name: longName },
    ]);
    await giveLongRecords(site, longMember);
    await giveProviders(site);
    await giveSeats(site, member);
    for (const email of [member, arabic, longMember]) {
      await signInTv(site, email, 'play', { device_name: 'Living room', device_model: 'Telly 9' });
      await signInTv(site, email, 'play-long', {
        device_name: '<b>Mine</b> {{7*7}} <%= 1 %> '.padEnd(64, 'W'),
        device_model: `"><img src=x onerror=alert(1)> ${'\u0643\u062a\u0627\u0628 '.repeat(6)}`,
      });
    }
  };
  return { prepare, ways };
}
