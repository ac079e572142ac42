import { describe, expect, it } from 'vitest';
import { type AuthorizeCommand, authorize } from '../../../src/core/grants/authorize.ts';
import type { AuthorizationRequest } from '../../../src/core/oidc/request/authorization-request.ts';
import {
  challenge,
  clientRecord,
  codeRecord,
  hour,
  minute,
  now,
  sessionRecord,
} from '../../support/records/records.ts';

const request: AuthorizationRequest = {
  target: { redirectUri: 'https://app.test/cb', responseMode: 'query', state: 's' },
  scope: 'openid offline_access email',
  resources: '',
  apis: [],
  nonce: 'the nonce',
  codeChallenge: challenge,
  dpopJkt: null,
  prompts: new Set(),
  maxAge: null,
  asksForSignUp: false,
  claims: { idToken: ['email'], userinfo: [], subjects: null, essentialAcr: null, wishedAcr: [] },
};

/** A request in a browser that has been signed in for half an hour; its flow began a minute ago. */
const command: AuthorizeCommand = {
  client: clientRecord(),
  request,
  session: sessionRecord(),
  consent: null,
  hintedMember: undefined,
  stepUp: null,
  startedAt: now - minute,
  now,
  codeHash: codeRecord().hash,
};

const code = { kind: 'code' };
const page = (name: string) => ({ kind: 'page', page: name });
const error = (name: string) => ({ kind: 'error', error: name });

const answerTo = (change: Partial<AuthorizeCommand>, asked: Partial<AuthorizationRequest> = {}) =>
  authorize({ ...command, ...change, request: { ...request, ...asked } }).answer;

const prompting = (...prompts: string[]) => ({ prompts: new Set(prompts) });

/** Signed in since the flow began. */
const fresh = sessionRecord({ authenticatedAt: now - minute });

describe('a valid authorization request', () => {
  it('of a member who is signed in gets a code, which keeps what was asked for', () => {
    expect(authorize(command)).toEqual({
      answer: code,
      writes: [{ write: 'insertAuthorizationCode', code: codeRecord() }],
    });
  });

  it('I59: binds the code to the key that it named', () => {
    const named = { ...command, request: { ...request, dpopJkt: 'the thumbprint' } };
    const code = codeRecord({ dpopJkt: 'the thumbprint' });
    expect(authorize(named).writes).toEqual([{ write: 'insertAuthorizationCode', code }]);
  });

  it('without a session gets the sign-in page, or the sign-up page if it asks for that', () => {
    expect(answerTo({ session: null })).toEqual(page('sign-in'));
    expect(answerTo({ session: null }, { asksForSignUp: true })).toEqual(page('sign-up'));
  });

  it('writes nothing unless it gives a code', () => {
    expect(authorize({ ...command, session: null }).writes).toEqual([]);
  });
});

describe('prompt (decision 13; Core §3.1.2.1)', () => {
  it('none: a code without a page, or login_required', () => {
    expect(answerTo({}, prompting('none'))).toEqual(code);
    expect(answerTo({ session: null }, prompting('none'))).toMatchObject(error('login_required'));
  });

  it.each(['login', 'select_account', 'create'])('%s: the member signs in again, once', (prompt) => {
    expect(answerTo({}, prompting(prompt))).toEqual(page('sign-in'));
    expect(answerTo({ session: fresh }, prompting(prompt))).toEqual(code);
  });
});

describe('max_age (decision 13; Core §3.1.2.1)', () => {
  const tenMinutes = { maxAge: 600 };
  const signedIn = (ago: number) => ({ session: sessionRecord({ authenticatedAt: now - ago }) });

  it('decision 20: a sign-in 1 ms younger is enough, one exactly as old is not', () => {
    expect(answerTo(signedIn(10 * minute - 1), tenMinutes)).toEqual(code);
    expect(answerTo(signedIn(10 * minute), tenMinutes)).toEqual(page('sign-in'));
  });

  it('0 asks for a sign-in within this flow', () => {
    expect(answerTo({ session: fresh }, { maxAge: 0 })).toEqual(code);
    expect(answerTo({}, { maxAge: 0 })).toEqual(page('sign-in'));
  });

  it('with prompt none it is login_required', () => {
    expect(answerTo(signedIn(hour), { ...tenMinutes, ...prompting('none') })).toMatchObject(
      error('login_required'),
    );
  });
});

describe('an essential acr (decision 47)', () => {
  const two = 'urn:memberdoor:2';
  const demanding = (values: readonly string[]) => ({
    claims: { idToken: ['acr', 'amr'], userinfo: [], subjects: null, essentialAcr: values, wishedAcr: [] },
  });
  const weak = sessionRecord({ amr: 'pwd', strongAt: null });

  it('I67: is met by a session that has it, and two factors have the one of a single factor, too', () => {
    expect(answerTo({}, demanding([two]))).toEqual(code);
    expect(answerTo({}, demanding(['urn:memberdoor:1']))).toEqual(code);
    expect(answerTo({ session: weak }, demanding(['gold', 'urn:memberdoor:1']))).toEqual(code);
  });

  it('I67: is an error if the session has none that is demanded', () => {
    const unmet = error('unmet_authentication_requirements');
    expect(answerTo({ session: weak }, demanding([two]))).toMatchObject(unmet);
    expect(answerTo({}, demanding(['gold']))).toMatchObject(unmet);
    expect(answerTo({ session: weak }, { ...demanding([two]), ...prompting('none') })).toMatchObject(
      error('interaction_required'),
    );
  });
});

describe('id_token_hint (decision 13; Core §3.1.2.1)', () => {
  it('that is not one of ours is invalid_request', () => {
    expect(answerTo({ hintedMember: null })).toMatchObject(error('invalid_request'));
  });

  it('of the member who is signed in gets a code', () => {
    expect(answerTo({ hintedMember: 'member-1' })).toEqual(code);
  });

  it('of another member: a sign-in first, and login_required if that was another again', () => {
    expect(answerTo({ hintedMember: 'member-2' })).toEqual(page('sign-in'));
    expect(answerTo({ hintedMember: 'member-2', session: fresh })).toMatchObject(error('login_required'));
    expect(answerTo({ hintedMember: 'member-2' }, prompting('none'))).toMatchObject(error('login_required'));
  });
});

describe('consent (decision 14)', () => {
  const thirdParty = clientRecord({ thirdParty: true });
  const consentAt = (grantedAt: number, scope = request.scope) => ({
    tenantId: 'tenant-a',
    memberId: 'member-1',
    clientId: 'client-1',
    scope,
    resources: '',
    grantedAt,
  });

  it('a first-party client needs none, even where it prompts for it', () => {
    expect(answerTo({}, prompting('consent'))).toEqual(code);
  });

  it('a third party gets the page once', () => {
    expect(answerTo({ client: thirdParty })).toEqual(page('consent'));
    expect(answerTo({ client: thirdParty, consent: consentAt(now - hour) })).toEqual(code);
  });

  it('a wider scope asks again', () => {
    const consent = consentAt(now - hour, 'openid email');
    expect(answerTo({ client: thirdParty, consent })).toEqual(page('consent'));
  });

  it('prompt consent asks again, once', () => {
    const asks = (grantedAt: number) =>
      answerTo({ client: thirdParty, consent: consentAt(grantedAt) }, prompting('consent'));
    expect(asks(now - hour)).toEqual(page('consent'));
    expect(asks(command.startedAt)).toEqual(code);
  });

  it('with prompt none it is consent_required', () => {
    expect(answerTo({ client: thirdParty }, prompting('none'))).toMatchObject(error('consent_required'));
  });
});
