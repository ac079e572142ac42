import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import { tenantFile } from '../../../src/core/operators/limits.ts';
import { readTenantFile } from '../../../src/operations/tenant-file/read.ts';
import {
  client,
  development,
  hash,
  known,
  marked,
  member,
  plan,
  problemsOf,
  subscription,
  tenant,
} from './texts.ts';

it('config check: what is sound has no problem', () => {
  const text = development(`logo: null
    products: [News]
    packages: [{ name: P, products: [News], period: { unit: month, count: 1 }, price: { amount: 0, currency: NOK }, payment: free }]
    clients: [{ clientId: c, name: C, type: confidential, secret: in-clear, secretFile: web.secret }]
    members: [{ email: a@b.test, fullName: A, password: in clear, subscriptions: [{ package: P }] }]`);
  expect(problemsOf(text)).toEqual([]);
  const read = readTenantFile(text, known);
  expect(read.ok && read.file.tenants[0]?.clients).toEqual([
    { clientId: 'c', name: 'C', type: 'confidential', secretHash: [hash, sha256('in-clear')] },
  ]);
});

const twice = (what: string, name: string) => `there is a ${what} "${name}" above already`;
const inClear = 'which a development tenant alone may have: take it away,';
const elsewhere = 'only the command "memberdoor apply" looks this up: give';

describe('config check: a problem stands where it is, and says what to do', () => {
  it.each([
    ['tenants: §{}', 'tenants must be a list'],
    ['tenants: §[]', 'tenants is empty'],
    ['§[]', 'the file must be an object of names and values'],
    ['§tenant: []', 'tenant is not known. Did you mean tenants?'],
    ['tenants:\n  - §name: A', 'issuer is missing'],
    ['tenants:\n  - §null', 'an entry of tenants must be an object of names and values'],
    [tenant('§pasword_length: 9'), 'pasword_length is not known. Did you mean passwordLength?'],
    [tenant('passwordLength: §9.5'), 'passwordLength must be a whole number'],
    [tenant('passwordLength: §7'), 'passwordLength must be 8 or more'],
    [tenant('disabled: §yes'), 'disabled must be true or false'],
    [tenant('languages: §[nb, nb]'), 'languages has the same entry twice'],
    [tenant('limits: { signUpsPerAddressAndHour: §0 }'), 'signUpsPerAddressAndHour must be 1 or more'],
    [client('type: §publik'), 'type must be one of confidential, public. Did you mean public?'],
    [client('type: public, redirectUris: §x'), 'redirectUris must be a list'],
    [client('type: public, accessTokenSeconds: §14401'), 'accessTokenSeconds must be 14400 or less'],
    [member('address: { postCode: §0155 }'), 'postCode must be a text: put it in quotes'],
    [
      member('createdAt: §2026-01-31'),
      'createdAt must be a date and a time with its zone, such as 2026-01-31T12:00:00Z',
    ],
    [member('id: §ada'), 'id is malformed'],

    [
      'tenants: [{ issuer: §http://a.test/x, name: A }]',
      'issuer must be https:// and a host, without a path',
    ],
    [
      'tenants: [{ issuer: https://a.test, name: A }, §{ issuer: https://A.test/, name: B }]',
      twice('tenant', 'a.test'),
    ],
    [tenant('development: §true'), 'a development tenant is at http://localhost, or the like'],
    [tenant('stageTenant: §a.test'), 'a tenant is not its own stage'],
    [
      tenant('languages: [nb, §xx]'),
      'an entry of languages must be one of ar, da, de, en, es, fi, fr, nb, nl, pl, sv',
    ],
    [plan('payment: §invoise'), 'payment must be one of free, invoice. Did you mean invoice?'],
    [plan('payment: §seashells'), 'payment must be one of free, invoice'],
    [
      tenant('returnOrigins: [https://b.test, §http://c.test]'),
      '"http://c.test" is not an origin such as https://www.example.com',
    ],
    [tenant('limits: { pendingDeviceCodes: §100001 }'), 'pendingDeviceCodes must be 1 to 100000'],
    [tenant('logo: §data:image/png;base64,x'), 'the base64 of logo is malformed'],
    [tenant('logoFile: §bad.svg'), 'the SVG must begin with <svg xmlns="http://www.w3.org/2000/svg">'],
    [tenant('logoFile: §no.svg'), `${elsewhere} logo here`],

    [tenant('products: [§" Sport"]'), 'it begins or ends with a space'],
    [tenant('products: [§""]'), 'an entry of products is missing'],
    [tenant('properties: [{ key: a, type: §date }]'), 'type must be one of number, string, timestamp'],
    [
      tenant('properties: [{ key: §constructor, type: string }]'),
      'a key begins with a letter and has letters, digits, _ and -',
    ],
    [tenant('properties: [{ key: a, type: string }, §{ key: a, type: number }]'), twice('property', 'a')],
    [
      plan('payment: free, price: { amount: 0, currency: §nok }'),
      'currency must be three capital letters of ISO 4217, such as NOK',
    ],
    [plan('price: { amount: 5, currency: NOK }, payment: §free'), 'a free package has no price'],
    [
      tenant('products: [News]\n    channels: [{ id: c, name: C, products: [§Nws] }]'),
      'there is no product "Nws" in the file: did you mean "News"?',
    ],
    [
      tenant('products: [News]\n    channels: [{ id: c, name: C, products: [§Sport] }]'),
      'there is no product "Sport" in the file: add it to products',
    ],
    [
      tenant('channels: [{ id: §C, name: C, products: [] }]'),
      'id must be 1 to 64 small letters, digits and hyphens in between',
    ],
    [tenant('consents: [{ id: c, name: §"" }]'), 'name is missing'],
    [tenant('consents: [{ id: c, name: C }, §{ id: c, name: D }]'), twice('consent', 'c')],

    [
      tenant('clients: [{ clientId: §a b, name: A, type: public }]'),
      'clientId must be 1 to 64 letters, digits, _ or -',
    ],
    [
      tenant('clients: [{ clientId: a, name: A, type: public }, §{ clientId: a, name: B, type: public }]'),
      twice('client', 'a'),
    ],
    [
      client('type: public, redirectUris: [https://a.test, §https://a.test/*]'),
      '"https://a.test/*" has a wildcard',
    ],
    [
      client('type: public, webOrigins: [§https://a.test/]'),
      '"https://a.test/" is not an origin such as https://www.example.com',
    ],
    [client(`type: public, secretHash: §${hash}`), 'a public client has no secret'],
    [client('type: confidential, secretHash: §abc'), 'this is no SHA-256 in base64url, of 43 characters'],
    [
      client('type: confidential, secret: §hush'),
      `a secret stands here in clear, ${inClear} and refer to it by secretFile, secretEnv or secretHash`,
    ],
    [client('type: confidential, secretFile: §other'), `${elsewhere} secretHash here`],
    [client('type: confidential, secretEnv: [WEB, §OTHER]'), `${elsewhere} secretHash here`],
    [
      client('type: confidential, secretFile: §web.secret, secretEnv: WEB'),
      'two of its secrets are the same',
    ],
    [
      client(`type: confidential, secretHash: [§${hash}, ${hash.replace(/^./, '_')}], secretEnv: WEB`),
      'a client has at most 2 live secrets',
    ],
    [
      client('type: public, logo: null, logoFile: §bad.svg'),
      'logo and logoFile stand here both: one of them is enough',
    ],

    [tenant('members: [{ email: §a, fullName: A }]'), 'email is malformed'],
    [
      tenant('members: [{ email: a@b.test, fullName: A }, §{ email: A@B.test, fullName: B }]'),
      twice('member', 'a@b.test'),
    ],
    [
      tenant(
        'members: [{ email: a@b.test, fullName: A, userId: 1 }, §{ email: c@b.test, fullName: B, userId: 1 }]',
      ),
      twice('member of the userId', '1'),
    ],
    [member('phone: §"12"'), 'phone is malformed'],
    [member('address: { country: §Norway }'), 'country is not known'],
    [
      member('password: §hush'),
      `a password stands here in clear, ${inClear} and give passwordHash, or let the member choose one`,
    ],
    [development('members: [{ email: a@b.test, fullName: A, password: §"" }]'), 'this can be no password'],
    [
      member('passwordHash: §$2b$12$x'),
      'this is no password hash as it is kept here, such as $argon2id$v=19$m=…,t=…,p=…$salt$tag',
    ],
    [
      member(`passwordHash: §"$argon2id$v=19$m=4194304,t=2,p=1$${'a'.repeat(22)}$${'a'.repeat(43)}"`),
      'it needs more than 64 MB, or its costs, salt or key are not those of a sound hash',
    ],
    [subscription('properties: { seats: §[1] }'), 'seats must be a number or a text'],
    [
      `${subscription('properties: { seats: §many }')}    properties: [{ key: seats, type: number }]\n`,
      'the property seats must be a number',
    ],
    [
      tenant(
        'packages: []\n    members: [{ email: a@b.test, fullName: A, subscriptions: [{ package: §P }] }]',
      ),
      'there is no package "P" in the file: add it to packages',
    ],
    [
      subscription('activatedAt: 2026-01-02T00:00:00Z, expiresAt: §2026-01-01T00:00:00Z'),
      'it ends before it begins',
    ],
    [
      subscription('activatedAt: null, expiresAt: §2026-01-01T00:00:00Z'),
      'what waits for a payment does not end: activatedAt is null',
    ],
    [
      subscription('activatedAt: 2026-01-02T00:00:00Z, expiresAt: §null'),
      'what has begun ends once: give a time, or leave expiresAt out',
    ],
    [
      subscription('activatedAt: 2026-01-02T00:00:00Z, cancelledAt: §2026-01-01T00:00:00Z'),
      'cancelledAt is before it begins: give endedAt',
    ],
    [
      subscription('activatedAt: null, cancelledAt: §2026-01-01T00:00:00Z'),
      'what waits for a payment has no renewal to cancel: give endedAt',
    ],
    [
      subscription('expiresAt: 2026-01-02T00:00:00Z, endedAt: §2026-01-03T00:00:00Z'),
      'endedAt is behind expiresAt, when it was over already',
    ],
    [
      subscription('cancelledAt: 2026-01-02T00:00:00Z, endedAt: §2026-01-01T00:00:00Z'),
      'it ended before it was cancelled',
    ],
  ])('%s: %s', (source, problem) => {
    const { text, place } = marked(source);
    expect(problemsOf(text)).toContain(`${place}: ${problem}`);
  });

  it('and a file cannot add thousands of members, because others wait for its one transaction', () => {
    const members = Array.from({ length: 501 }, (_, n) => ({ email: `m${n}@b.test`, fullName: 'M' }));
    expect(problemsOf(tenant(`members: ${JSON.stringify(members)}`))).toEqual([
      '4:14: 501 members are more than 500: they move with a backup',
    ]);
  });

  it('and all of them are told at once, in the order of the text', () => {
    const text = `tenants:
  - issuer: nowhere
    nam: A
    clients:
      - { clientId: a, name: "", type: public, secret: hush, redirectUris: [x, y] }
      - { clientId: a, type: publik }
`;
    expect(problemsOf(text)).toEqual([
      '2:5: name is missing',
      '2:13: issuer must be https:// and a host, without a path',
      '3:5: nam is not known. Did you mean name?',
      '5:30: name is missing',
      '5:56: a public client has no secret',
      `5:56: a secret stands here in clear, ${inClear} and refer to it by secretFile, secretEnv or secretHash`,
      '5:77: "x" is not an absolute URI',
      '5:80: "y" is not an absolute URI',
      '6:9: name is missing',
      `6:9: ${twice('client', 'a')}`,
      '6:30: type must be one of confidential, public. Did you mean public?',
    ]);
  });

  it('and beyond a hundred, how many more there are', () => {
    const problems = problemsOf(tenant(`products: [${'" ", '.repeat(150)}""]`));
    expect(problems).toHaveLength(tenantFile.problems + 1);
    expect(problems.at(-1)).toMatch(/: … and \d+ problems more$/);
  });

  it('A18: and no value of a secret is repeated', () => {
    const text = `${client('type: public, secret: hush-hush, secretHash: hush-too')}    members:
      - { email: a@b.test, fullName: A, password: hush-me, passwordHash: hush-you }
      - { email: 5, password: [hush-list], secret: hush-this }\n`;
    expect(problemsOf(text).length).toBeGreaterThan(6);
    expect(problemsOf(text).join('\n')).not.toContain('hush');
  });
});
