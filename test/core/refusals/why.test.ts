import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { auditEventNames } from '../../../src/core/operators/audit-event.ts';
import { differenceOf, mendOf } from '../../../src/core/refusals/mend.ts';
import { codeReasons } from '../../../src/core/refusals/of-codes.ts';
import { eventReasons } from '../../../src/core/refusals/of-events.ts';
import { errorCodes, ownRules, type Rule } from '../../../src/core/refusals/rule.ts';
import { citedIn } from '../../../src/core/refusals/section.ts';
import type { SentRequest } from '../../../src/core/refusals/sent.ts';
import { documentOf, reasonOf } from '../../../src/core/refusals/why.ts';

const everyRule: readonly Rule[] = [...errorCodes, ...ownRules];
const reasons = [
  ...everyRule.map((rule) => reasonOf({ rule, event: null })),
  ...Object.keys(eventReasons).map((event) => reasonOf({ rule: null, event: event as never })),
].flatMap((reason) => reason ?? []);

describe('the reasons of refusals', () => {
  it('are there for each error code, each rule and each event that tells of refusals', () => {
    expect(reasons).toHaveLength(everyRule.length + Object.keys(eventReasons).length);
    const telling = auditEventNames.filter((name) =>
      /_(?:refused|denied|wrong|reused|reached|failed)$/.test(name),
    );
    expect(Object.keys(eventReasons).sort()).toEqual(telling.toSorted());
  });

  it('say what is refused and what to do, in sentences of their own', () => {
    for (const { rule, mend } of reasons) {
      expect(rule).toMatch(/^[A-Z].*\.$/s);
      expect(mend).toMatch(/^[A-Z].*\.$/s);
      expect(mend.length).toBeLessThan(160);
    }
    const told = everyRule.map((rule) => reasonOf({ rule, event: null })?.rule);
    // What expires, and what a member rejects, is told by a code of its own.
    expect(told.length - new Set(told).size).toBeLessThan(3);
  });

  it('cite sections that lead somewhere, and what is said to those who build clients', () => {
    const errors = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    for (const reason of reasons) {
      for (const { text, href } of citedIn(reason.section)) {
        expect(href, text).toMatch(
          /^(?:https:\/\/\S+|docs\/[\w-]+\.md(?:#[\w-]+)?|ARCHITECTURE\.md(?:#[\w-]+)?)$/,
        );
      }
      const [, place = ''] = documentOf(reason).split('#');
      const isHeading = errors
        .split('\n')
        .some((line) => line.replace(/^## /, '').toLowerCase().replaceAll(' ', '-') === place);
      expect(isHeading || errors.includes(`<a id="${place}">`), place).toBe(true);
    }
    expect(citedIn('RFC 6749 §5.2; decision 24')).toEqual([
      { text: 'RFC 6749 §5.2', href: 'https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2' },
      { text: 'decision 24', href: 'docs/decisions.md#decision-24' },
    ]);
  });

  it('name the code that a client is told, and none where a person is told', () => {
    for (const code of errorCodes) expect(codeReasons[code]).not.toHaveProperty('code');
    expect(reasonOf({ rule: 'refresh_token_reused', event: 'refresh_reused' })?.code).toBe('invalid_grant');
    expect(reasonOf({ rule: 'client_unknown', event: 'client_authentication_failed' })?.code).toBe(
      'invalid_client',
    );
    expect(reasonOf({ rule: 'client_unknown', event: 'authorization_refused' })?.code).toBeNull();
    expect(reasonOf({ rule: null, event: 'sign_in' })).toBeNull();
  });
});

const sent: SentRequest = {
  at: 0,
  method: 'GET',
  path: '/api/oidc/auth',
  parameters: { redirect_uri: 'http://localhost:3001/callback' },
  headers: { origin: 'http://localhost:3001' },
  clientId: 'web',
  status: 400,
  isReadable: null,
  refusal: null,
};
const client = { clientId: 'web', deviceFlow: false };
const offered = (rule: Rule, more: Partial<Parameters<typeof mendOf>[0]> = {}) =>
  mendOf({ rule, sent, client, isDevelopment: true, ...more });

describe('RF9: what one click may change', () => {
  it.each<[string, Rule, object, object | null]>([
    [
      'an address that was sent',
      'redirect_uri_unregistered',
      {},
      { kind: 'redirect_uri', value: 'http://localhost:3001/callback' },
    ],
    [
      'an origin that was sent',
      'web_origin_unregistered',
      {},
      { kind: 'web_origin', value: 'http://localhost:3001' },
    ],
    ['a device flow that is off', 'device_flow_off', { sent: null }, { kind: 'device_flow', value: null }],
    ['nothing that is on', 'device_flow_off', { client: { ...client, deviceFlow: true } }, null],
    [
      'nothing of a tenant that is no development tenant',
      'redirect_uri_unregistered',
      { isDevelopment: false },
      null,
    ],
    ['nothing of a client that is not there', 'redirect_uri_unregistered', { client: null }, null],
    ['nothing that was not sent', 'redirect_uri_unregistered', { sent: null }, null],
    ['nothing that another rule refused', 'client_secret_wrong', {}, null],
  ])('%s', (_what, rule, more, mend) => {
    expect(offered(rule, more)).toEqual(mend === null ? null : { clientId: 'web', ...mend });
  });

  it.each([
    'http://evil.test/callback',
    'https://evil.test/#x',
    'javascript:alert(1)',
    'https://app.test/callback?code=x',
    `https://app.test/${'x'.repeat(190)}…`,
    'not an address',
    '',
  ])('no address that may not be registered, or that was cut: %s', (redirectUri) => {
    const parameters = { redirect_uri: redirectUri };
    expect(offered('redirect_uri_unregistered', { sent: { ...sent, parameters } })).toBeNull();
  });

  it('no address that was sent twice, and no origin that is none', () => {
    const parameters = { redirect_uri: ['https://app.test/one', 'https://app.test/two'] };
    expect(offered('redirect_uri_unregistered', { sent: { ...sent, parameters } })).toBeNull();
    for (const origin of ['null', 'http://evil.test', 'https://a.test/', '*']) {
      expect(offered('web_origin_unregistered', { sent: { ...sent, headers: { origin } } })).toBeNull();
    }
  });
});

describe('how little an address differs', () => {
  const registered = ['https://app.test/callback', 'http://localhost:3000/cb'];

  it.each([
    ['https://app.test/callback/', 'a slash at the end'],
    ['https://app.test/Callback', 'capital letters'],
    ['http://app.test/callback', 'http or https'],
    ['https://www.app.test/callback', 'the host'],
    ['https://app.test/other', 'the path'],
    ['https://app.test/callback?x=1', 'the query'],
    ['https://app.test:8443/callback', 'the port'],
    ['http://localhost:5000/callback', 'the path'],
  ])('%s: %s', (uri, words) => expect(differenceOf(uri, registered)).toMatch(`${words} alone differ`));

  it.each(['https://evil.test/other', 'x', ''])('and not where it is much: %s', (uri) =>
    expect(differenceOf(uri, registered)).toBeNull(),
  );
});
