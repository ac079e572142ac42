import { expect } from 'vitest';
import { findMemberByEmail } from '../../../src/storage/members/member.ts';
import { hosts } from '../fixtures.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';
import { field, type Visitor, visitor } from '../visitor.ts';
import { accountOf } from './account.ts';
import { askedIn, type Said, type SoftPasskey, softPasskey } from './soft-passkey.ts';

/** Makes passkeys of members of a service, and signs in with them. */
export function passkeysOf(service: TestService) {
  const tenantOf = (host: string) => {
    const tenant = service.tenants.byHost(host);
    if (tenant === null) throw new Error(`${host} is missing`);
    return tenant;
  };

  const at = (host: string, challenge: string): Said => ({
    challenge,
    origin: tenantOf(host).issuer,
    domain: new URL(tenantOf(host).issuer).hostname,
  });

  const memberOf = async (host: string, email: string) => {
    const found = await service.store.transaction((tx) => findMemberByEmail(tx, tenantOf(host).id, email));
    if (found === null) throw new Error(`${email} is missing`);
    return found.member;
  };

  const handleOf = async (host: string, email: string) =>
    Buffer.from((await memberOf(host, email)).id).toString('base64url');

  /** Makes a passkey on the account page of a member. @param more what it says that it should not */
  async function make(
    passkey: SoftPasskey,
    {
      host = hosts.a,
      email = 'u1@example.test',
      more = {},
    }: { host?: string; email?: string; more?: object } = {},
  ) {
    const account = await accountOf(service, host, email);
    const page = await account.send('/account/passkeys/new');
    const said = { ...at(host, askedIn(page).challenge), ...more };
    const body = { token: field(page, 'token'), passkey: passkey.made(said) };
    return { account, body, answer: await account.send('/account/passkeys/new', { body }) };
  }

  /** A browser at the sign-in page, and what that asks a passkey to sign. */
  async function atSignIn(browser: Visitor = visitor(service, hosts.a)) {
    const way = await browser.send('/sign-in');
    const page = await browser.send(String(way.headers.location));
    return { browser, flow: field(page, 'flow'), challenge: askedIn(page).challenge };
  }

  const send = (browser: Pick<Visitor, 'send'>, flow: string, passkey: string) =>
    browser.send('/sign-in', { body: { flow, email: '', password: '', passkey } });

  /** Signs in. @param more what the passkey says that it should not */
  async function signIn(passkey: SoftPasskey, more: Partial<Said> = {}, email = 'u1@example.test') {
    const { browser, flow, challenge } = await atSignIn();
    const said = { ...at(hosts.a, challenge), userHandle: await handleOf(hosts.a, email), ...more };
    return {
      browser,
      flow,
      text: passkey.signed(said),
      answer: await send(browser, flow, passkey.signed(said)),
    };
  }

  /** A passkey of a member that works. */
  async function working(email = 'u1@example.test') {
    const passkey = softPasskey();
    expect((await make(passkey, { email })).answer.headers.location).toBe('/account/passkeys');
    // What is refused on purpose must not add up to the limit of a minute.
    service.clock.advance(61_000);
    return passkey;
  }

  return { tenantOf, at, memberOf, handleOf, make, atSignIn, send, signIn, working };
}

/** Where an answer leads. */
export const isIn = ({ status, headers }: Answer) => [status, headers.location];
/** Where a sign-in leads. */
export const inside = [303, '/account'];

export function expectRefused(answer: Answer): void {
  expect(answer.status, answer.text).toBe(422);
  expect(answer.text).toContain('That passkey didn’t work');
  expect(answer.headers['set-cookie']?.some((line) => line.includes('-session='))).not.toBe(true);
}
