import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import type { Member } from '../../src/core/members/member.ts';
import { defineConsent } from '../../src/operations/access/consent.ts';
import { addSubscription } from '../../src/operations/access/subscription.ts';
import { deleteMember, disableMember } from '../../src/operations/member/member.ts';
import { signOutEverywhere } from '../../src/operations/session/session.ts';
import { insertMember, updateUserType } from '../../src/storage/members/member.ts';
import { invoiced, newPackage, shopper } from '../support/access/shopper.ts';
import { type Between, between } from '../support/between.ts';
import { codesFor, pageOf, setLimits, tenantOf } from '../support/device.ts';
import { hosts, memberOf } from '../support/fixtures.ts';
import type { Answer } from '../support/http.ts';
import { codeIn, linkIn } from '../support/mails/outbox.ts';
import { type AccountVisitor, accountOf } from '../support/members/account.ts';
import { newPassword } from '../support/members/sign-up.ts';
import { adminToken, callApi, change } from '../support/operators/api.ts';
import { filledIn, type PortalVisitor, portalOf } from '../support/operators/portal.ts';
import { consentRecord } from '../support/records/access-records.ts';
import { allRows, rowsAsText } from '../support/records/rows.ts';
import { apps, tokensOf } from '../support/tokens.ts';
import { useService } from '../support/use-service.ts';
import { field } from '../support/visitor.ts';

const service = useService({ data: 'security' });
let watch: Between;

const host = hosts.a;
const password = 'memberdoor-development';
const consent = { id: 'offers', name: 'Offers', description: '', atSignUp: false };

beforeAll(async () => {
  await setLimits(service, host, {
    failedSignInsPerAddressAndMinute: null,
    deviceRequestsPerAddressAndMinute: null,
  });
  const { id: tenantId } = tenantOf(service, host);
  await service.store.transaction((tx) => defineConsent(tx, consentRecord({ tenantId, ...consent })));
  watch = between(service);
});

let members = 0;

/** One more member, and a browser of theirs in the account area. */
async function newMember(): Promise<{ member: Member; browser: AccountVisitor }> {
  members += 1;
  const { id: tenantId } = tenantOf(service, host);
  const member = memberOf(tenantId, `g${members}@example.test`, 100 + members, service.clock.now());
  const hash = await service.passwords.hash(password);
  await service.store.transaction((tx) => insertMember(tx, member, hash));
  return { member, browser: await accountOf(service, host, member.email, { password }) };
}

/** A form that is filled in, and what sends it. */
interface Ready {
  readonly member: Member;
  readonly send: () => Promise<Answer>;
}

/** A form of the account with these fields, after what it needs was made. */
const account =
  (
    path: string,
    form: Record<string, string>,
    prepare: (
      member: Member,
      browser: AccountVisitor,
    ) => Promise<Record<string, string> | undefined> = async () => undefined,
  ) =>
  async (): Promise<Ready> => {
    const { member, browser } = await newMember();
    const more = await prepare(member, browser);
    const token = field(await browser.send(path === '/account/keep' ? '/account' : path), 'token');
    return { member, send: () => browser.send(path, { body: { token, ...form, ...more } }) };
  };

const addedSubscription = async (memberId: string): Promise<string> => {
  const now = service.clock.now();
  const packageId = await newPackage(service, host);
  const { id } = tenantOf(service, host);
  const day = 24 * 60 * 60_000;
  const subscription = {
    memberId,
    packageId,
    createdAt: now,
    activatedAt: now,
    expiresAt: now + 30 * day,
    customPropertyValues: {},
  };
  return String(await service.store.transaction((tx) => addSubscription(tx, id, subscription)));
};

/** A sign-in of an app: what the page of devices shows. @returns its id */
const addedSignIn = async (member: Member, browser: AccountVisitor): Promise<string> => {
  await tokensOf(service, host, apps.pub1, { email: member.email, browser });
  return field(await browser.send('/account/devices'), 'signIn');
};

/** Asks for a new address. @returns where its digits are typed, and the mail */
const askedAddress = async (member: Member, browser: AccountVisitor) => {
  const email = `new.${member.email}`;
  const answer = await browser.submit('/account/email', { email, currentPassword: password });
  await service.delivered();
  return { path: String(answer.headers.location), mail: service.outbox.last(email) };
};

/** A form of the checkout of a member who is signed in. */
const checkout =
  (action: string, more: Record<string, string> = {}, facts = {}) =>
  async (): Promise<Ready> => {
    const { member, browser } = await newMember();
    const buyer = shopper(service, host);
    for (const [name, value] of browser.cookies) buyer.cookies.set(name, value);
    const ordering = await buyer.order({ packageId: await newPackage(service, host, facts) });
    return { member, send: () => buyer.submit(ordering, action, more) };
  };

/** One more administrator, and a browser of theirs in the portal. */
async function newAdministrator(): Promise<{ member: Member; browser: PortalVisitor }> {
  const { member } = await newMember();
  await service.store.transaction((tx) =>
    updateUserType(tx, member, { userType: 'tenant_admin', updatedAt: service.clock.now() }),
  );
  return { member, browser: await portalOf(service, host, member.email, password) };
}

/** A page of the portal with a form, sent with these values. */
const portal =
  (path: string, values: Record<string, string> = {}) =>
  async (): Promise<Ready> => {
    const { member, browser } = await newAdministrator();
    const name = path.replace('{id}', member.id);
    const body = filledIn(await browser.send(name), values);
    return { member, send: () => browser.send(name, { body }) };
  };

/** Names are unique on a tenant: each form has its own. */
const newProduct = (name: string) => () =>
  portal('/admin/tenants/a.test/products/+create', { name: `${name} ${members}` })();

const currentPassword = password;

/** Every form of a signed-in member; what it changes, it changes in its last transaction or before. */
const forms: Readonly<Record<string, () => Promise<Ready>>> = {
  'account: details': account('/account/details', { fullName: 'Another Name' }),
  'account: a postal address': account('/account/address', { city: 'Another Place' }),
  'account: consents': account(
    '/account/consents',
    { 'consent-offers': 'yes' },
    async (_member, browser) => ({
      asked: field(await browser.send('/account/consents'), 'asked'),
    }),
  ),
  'account: cancelling a subscription': account(
    '/account/subscriptions',
    { action: 'cancel' },
    async (member) => ({ subscription: await addedSubscription(member.id) }),
  ),
  'account: naming a device': account(
    '/account/devices',
    { action: 'rename', label: 'The old TV' },
    async (...of) => ({ signIn: await addedSignIn(...of) }),
  ),
  'account: signing a device out': account('/account/devices', { action: 'sign-out' }, async (...of) => ({
    signIn: await addedSignIn(...of),
  })),
  'account: signing every device out': account(
    '/account/devices',
    { action: 'sign-out-all' },
    async (...of) => {
      await addedSignIn(...of);
      return undefined;
    },
  ),
  'account: signing another browser out': account(
    '/account/sessions',
    { action: 'sign-out' },
    async ({ email }, browser) => {
      await accountOf(service, host, email, { password });
      const { text } = await browser.send('/account/sessions');
      const ids = [...text.matchAll(/name="session" value="([^"]*)"/g)].map(([, id]) => String(id));
      return { session: String(ids.at(-1)) };
    },
  ),
  'account: signing the other browsers out': account(
    '/account/sessions',
    { action: 'sign-out-others' },
    async ({ email }) => {
      await accountOf(service, host, email, { password });
      return undefined;
    },
  ),
  'account: asking for a new address': account('/account/email', {
    email: 'asked.for@example.test',
    currentPassword,
  }),
  'account: the digits of a new address': async () => {
    const { member, browser } = await newMember();
    const { path, mail } = await askedAddress(member, browser);
    const token = field(await browser.send(path), 'token');
    return { member, send: () => browser.send(path, { body: { token, code: codeIn(mail) } }) };
  },
  'account: the link of a new address': async () => {
    const { member, browser } = await newMember();
    const { mail } = await askedAddress(member, browser);
    const { pathname } = new URL(linkIn(mail));
    const token = field(await browser.send(pathname), 'token');
    return { member, send: () => browser.send(pathname, { body: { token } }) };
  },
  'account: a new password': account('/account/password', { password: newPassword, currentPassword }),
  'account: asking to be deleted': account('/account/delete', { currentPassword }),
  'account: keeping the account': account('/account/keep', {}, async (_member, browser) => {
    await browser.submit('/account/delete', { currentPassword });
    return undefined;
  }),
  'checkout: confirming': checkout('confirm'),
  'checkout: cancelling': checkout('cancel'),
  'checkout: an address': checkout(
    'address',
    { name: 'Ada', line1: 'Street 1', postCode: '0001', city: 'Oslo', country: 'Norway' },
    invoiced,
  ),
  'device: entering a wrong code': async () => {
    const { member, browser } = await newMember();
    const { user_code: code } = await codesFor(service, host);
    const wrong = String((Number(code.replace(' ', '')) + 1) % 1_000_000).padStart(6, '0');
    return { member, send: () => browser.send(pageOf(wrong)) };
  },
  'device: approving': async () => {
    const { member, browser } = await newMember();
    const { user_code: code } = await codesFor(service, host);
    const confirm = field(await browser.send(pageOf(code)), 'confirm');
    return { member, send: () => browser.send('/device/approve', { body: { confirm, verdict: 'approve' } }) };
  },
  'portal: changing something': portal('/admin/tenants/a.test/members/{id}/+change', {
    fullName: 'Another Name',
  }),
  'portal: making something': newProduct('Product of no tenant'),
  'portal: signing out': async () => {
    const { member, browser } = await newAdministrator();
    const token = field(await browser.send('/admin/tenants/a.test/products/+create'), 'token');
    return { member, send: () => browser.send('/admin/sign-out', { body: { token } }) };
  },
};

/** Its hash is judged between the transaction that counts the guess and the one that acts. */
const withPassword = [
  'account: asking for a new address',
  'account: a new password',
  'account: asking to be deleted',
];

const ends: Readonly<Record<string, (member: Member) => Promise<unknown>>> = {
  'signed out elsewhere': ({ id }) =>
    service.store.transaction((tx) => signOutEverywhere(tx, id, service.clock.now())),
  disabled: ({ tenantId, id }) =>
    service.store.transaction((tx) => disableMember(tx, tenantId, id, service.clock.now())),
  deleted: ({ tenantId, id }) =>
    service.store.transaction((tx) => deleteMember(tx, tenantId, id, service.clock.now())),
};

/** A visitor who is not signed in is led to sign in; one with a wrong password or link hears that it is wrong. */
const isRefused = ({ status, headers }: Answer) =>
  [404, 410, 422].includes(status) || /^\/(?:admin\/)?sign-in/.test(String(headers.location));

/** What a refusal may leave: that it was refused, and a guess that was counted. */
const rows = () => allRows(service, ['auditEvents', 'signInFailures']);

/** Sends the form once, and finds the last of its transactions that changes something. */
async function lastChange(begin: () => Promise<Ready>): Promise<number> {
  const { send } = await begin();
  const seen: string[] = [];
  watch.each(async () => seen.push(rowsAsText(await rows())));
  await send();
  watch.each(async () => {});
  seen.push(rowsAsText(await rows()));
  return seen.findLastIndex((state, index) => index > 0 && state !== seen[index - 1]);
}

describe('F4: the session ends before any transaction of a form', () => {
  for (const [name, begin] of Object.entries(forms)) {
    // Each end comes before the same transactions.
    let found: Promise<number> | undefined;
    it.each(Object.entries(ends))(`F4: ${name}: refused, and nothing changed (%s)`, async (_how, end) => {
      onTestFinished(() => watch.each(async () => {}));
      found ??= lastChange(begin);
      const last = await found;
      expect(last).toBeGreaterThan(0);
      for (let number = 1; number <= last; number += 1) {
        const { member, send } = await begin();
        let before: unknown;
        watch.before(number, async () => {
          await end(member);
          before = await rows();
        });
        const answer = await send();
        watch.each(async () => {});
        expect(isRefused(answer), `${number}: ${answer.status} ${answer.headers.location}`).toBe(true);
        expect(await rows()).toEqual(before);
      }
    });
  }
});

describe('who may act is decided where the action is: a form is one transaction, with a password two', () => {
  const ofPages = Object.entries(forms).filter(([name]) => !name.startsWith('portal'));

  it.each(ofPages)('%s', async (name, begin) => {
    onTestFinished(() => watch.each(async () => {}));
    const { send } = await begin();
    let count = 0;
    watch.each(async (number) => {
      count = number;
    });
    await send();
    // What is refused is written down in one more.
    const isTwo = withPassword.includes(name) || name === 'device: entering a wrong code';
    expect(count).toBe(isTwo ? 2 : 1);
  });
});

it('F4: the data of a member are not sent to a session that ended meanwhile', async () => {
  onTestFinished(() => watch.each(async () => {}));
  const begin = account('/account/data', { currentPassword });
  const first = await begin();
  let last = 0;
  watch.each(async (number) => {
    last = number;
  });
  expect((await first.send()).status).toBe(200);
  watch.each(async () => {});
  for (let number = 1; number <= last; number += 1) {
    const { member, send } = await begin();
    watch.before(number, () => ends['signed out elsewhere']?.(member) ?? Promise.resolve());
    const answer = await send();
    expect({ number, status: answer.status }).toEqual({ number, status: 303 });
  }
});

it('F4: what an administrator may no longer do when it is done is not done', async () => {
  onTestFinished(() => watch.each(async () => {}));
  const begin = newProduct('Made by');
  const last = await lastChange(begin);
  const { member, send } = await begin();
  watch.before(last, () =>
    service.store.transaction((tx) =>
      updateUserType(tx, member, { userType: 'member', updatedAt: service.clock.now() }),
    ),
  );
  expect((await send()).headers.location).toMatch(/^\/admin\/sign-in/);
  const products = await service.store.transaction((tx) =>
    tx.selectFrom('products').selectAll().where('name', 'like', 'Made by %').execute(),
  );
  // The one of the form that was sent to see how it goes.
  expect(products).toHaveLength(1);
});

it('F4: a token that is revoked before its call is done changes nothing', async () => {
  onTestFinished(() => watch.each(async () => {}));
  let last = 0;
  watch.each(async (number) => {
    last = number;
  });
  expect((await callApi(service, { ...change, token: await adminToken(service) })).status).toBe(200);
  watch.each(async () => {});
  for (let number = 1; number <= last; number += 1) {
    const secret = await adminToken(service);
    const before = await rows();
    watch.before(number, () =>
      service.store.transaction((tx) =>
        tx
          .updateTable('adminTokens')
          .set({ revokedAt: service.clock.now() })
          .where('secretHash', '=', sha256(secret))
          .execute(),
      ),
    );
    const body = { brandColor: '#445566' };
    const answer = await callApi(service, { ...change, body, token: secret });
    expect({ number, status: answer.status }).toEqual({ number, status: 401 });
    const { adminTokens: _of, ...others } = await rows();
    const { adminTokens: _before, ...expected } = before;
    expect(others).toEqual(expected);
  }
});

describe('F3: a password is changed while another browser is about to change it', () => {
  /** Sends a change in one browser, and another one's before the last transaction that it makes. */
  const race = async (everywhere: boolean) => {
    onTestFinished(() => watch.each(async () => {}));
    const last = await lastChange(account('/account/password', { password: newPassword, currentPassword }));
    const { member, browser } = await newMember();
    const other = await accountOf(service, host, member.email, { password });
    const [own, foreign] = ['a password of the owner', 'a password of the thief'];
    const token = field(await other.send('/account/password'), 'token');
    watch.before(last, () =>
      browser.submit('/account/password', {
        password: own,
        currentPassword,
        ...(everywhere ? { everywhere: 'yes' } : {}),
      }),
    );
    const answer = await other.send('/account/password', {
      body: { token, password: foreign, currentPassword },
    });
    const signIn = (guess: string) => accountOf(service, host, member.email, { password: guess });
    await expect(signIn(foreign)).rejects.toThrow();
    await signIn(own);
    return { answer, other };
  };

  it('F3: a change that ends all other sessions ends the other change too, and its session is gone', async () => {
    const { answer, other } = await race(true);
    expect(answer.headers.location).toMatch(/^\/sign-in/);
    expect((await other.send('/account')).status).toBe(303);
  });

  it('F3: the other change is refused all the same where its session goes on: its password is wrong now', async () => {
    const { answer, other } = await race(false);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('href="#currentPassword"');
    expect((await other.send('/account')).status).toBe(200);
  });
});
