import { expect } from 'vitest';
import { type TenantLimits, tenantLimits } from '../../src/core/tenant-limits.ts';
import type { OpenTenant } from '../../src/operations/tenant/open-tenants.ts';
import { insertMember } from '../../src/storage/members/member.ts';
import { hosts, memberOf } from './fixtures.ts';
import type { Answer, Ask } from './http.ts';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';
import { type App, apps, credentialsOf, profile, refreshAs } from './tokens.ts';
import { field, type Tokens, token, type Visitor, visitor } from './visitor.ts';

/** The answer of the device authorization endpoint (contract, "Device authorization record"). */
export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
export const devicePath = '/api/oidc/device/auth';

/** POST /api/oidc/device/auth as this client, for `openid offline_access` unless said otherwise. */
export function askForCode(
  service: TestService,
  host: string,
  app: Omit<App, 'redirectUri'> = apps.pub1,
  more: Record<string, string> = {},
): Promise<Answer> {
  const body = { ...credentialsOf({ redirectUri: '', ...app }), scope: 'openid offline_access', ...more };
  return service.http(host, devicePath, { body });
}

/** The codes that a TV gets. */
export async function codesFor(
  service: TestService,
  host: string,
  app: Omit<App, 'redirectUri'> = apps.pub1,
  more: Record<string, string> = {},
): Promise<DeviceAuthorization> {
  const answer = await askForCode(service, host, app, more);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<DeviceAuthorization & Record<string, unknown>>();
}

/** A poll as this client. */
export function poll(
  service: TestService,
  host: string,
  deviceCode: string,
  app: Omit<App, 'redirectUri'> = apps.pub1,
  more: Record<string, string> = {},
): Promise<Answer> {
  return token(service, host, {
    grant_type: deviceGrant,
    ...credentialsOf({ redirectUri: '', ...app }),
    device_code: deviceCode,
    ...more,
  });
}

/** A poll that gets the tokens. */
export async function pollTokens(
  service: TestService,
  host: string,
  deviceCode: string,
  app: Omit<App, 'redirectUri'> = apps.pub1,
): Promise<Tokens> {
  const answer = await poll(service, host, deviceCode, app);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Tokens & Record<string, unknown>>();
}

/** The phone of a member, on the device pages of one tenant. */
export interface Phone extends Visitor {
  /** The page that typing this code, or scanning it, leads to. */
  open(userCode: string): Promise<Answer>;
  /** Presses a button of an approve page. */
  press(page: Answer, verdict: 'approve' | 'reject', ask?: Ask): Promise<Answer>;
  /** Opens the code's page and presses the button. */
  approve(userCode: string): Promise<Answer>;
  reject(userCode: string): Promise<Answer>;
  /** Signs out by the logout of a client that has a place to go on. */
  signOut(): Promise<void>;
}

/** A phone without a session. */
export function newPhone(service: TestService, host: string): Phone {
  const browser = visitor(service, host);
  const open = (userCode: string) => browser.send(pageOf(userCode));
  const press = (page: Answer, verdict: string, ask: Ask = {}) =>
    browser.send('/device/approve', { body: { confirm: field(page, 'confirm'), verdict }, ...ask });
  return {
    ...browser,
    open,
    press,
    approve: async (userCode) => expectEnd(await press(await open(userCode), 'approve'), 'approved'),
    reject: async (userCode) => expectEnd(await press(await open(userCode), 'reject'), 'rejected'),
    signOut: async () => {
      await browser.send('/api/oidc/session/end?client_id=conf1');
    },
  };
}

/** A phone whose member is signed in. */
export async function phoneOf(
  service: TestService,
  host: string,
  email = 'u1@example.test',
  password?: string,
): Promise<Phone> {
  const phone = newPhone(service, host);
  const { headers } = await phone.send('/device');
  const answer = await phone.signIn(await phone.send(String(headers.location)), email, password);
  expect(answer.headers.location, answer.text).toBe('/device');
  return phone;
}

/** A code that this phone has approved. */
export async function approvedCodes(
  service: TestService,
  phone: Phone,
  app: Omit<App, 'redirectUri'> = apps.pub1,
): Promise<DeviceAuthorization> {
  const codes = await codesFor(service, phone.host, app);
  await phone.approve(codes.user_code);
  return codes;
}

/** A code that this phone has approved, and the tokens that its first poll got. */
export async function usedCodes(
  service: TestService,
  phone: Phone,
  app: Omit<App, 'redirectUri'> = apps.pub1,
): Promise<DeviceAuthorization & { readonly tokens: Tokens }> {
  const codes = await approvedCodes(service, phone, app);
  return { ...codes, tokens: await pollTokens(service, phone.host, codes.device_code, app) };
}

/** The address of a code's page, as the QR code has it. */
export const pageOf = (userCode: string) => `/device?user_code=${encodeURIComponent(userCode)}`;

function expectEnd(answer: Answer, end: 'approved' | 'rejected'): Answer {
  const [location] = String(answer.headers.location).split('?decided=');
  expect({ status: answer.status, location }).toEqual({
    status: 303,
    location: `/device/${end}`,
  });
  return answer;
}

/** What a member reads on a page: its text, without tags and style. */
export function textOf(page: Answer): string {
  return page.text
    .replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** Holds a page to the answer that every code gets that does not work (U8). */
export function expectNotValid(page: Answer): void {
  expect(page.status, textOf(page)).toBe(422);
  expect(page.text).toContain('This code doesn’t work.');
  expect(page.text).not.toContain('name="confirm"');
}

/** Checks that tokens are of a sign-in that ended: no client can refresh them. */
export async function expectEndedSignIn(service: TestService, host: string, tokens: Tokens): Promise<void> {
  const answer = await refreshAs(service, host, apps.pub1, tokens.refresh_token);
  expect({ status: answer.status, error: answer.json().error }).toEqual({
    status: 400,
    error: 'invalid_grant',
  });
}

/** The status that the member API answers an access token with. */
export async function apiStatus(service: TestService, host: string, tokens: Tokens): Promise<number> {
  return (await profile(service, host, tokens.access_token)).status;
}

/** Device codes without a limit: what most tests need, since all of them come from one address. */
export const unlimited: TenantLimits = {
  ...tenantLimits,
  pendingDeviceCodes: 100_000,
  deviceRequestsPerAddressAndMinute: null,
  deviceRequestsPerAddressAndHour: null,
  deviceRequestsPerClientAndMinute: null,
  failedGrantsPerClientAddressAndMinute: null,
  failedClientAuthenticationsPerAddressAndMinute: null,
};

export function tenantOf(service: TestService, host: string): OpenTenant {
  const tenant = service.tenants.byHost(host);
  if (tenant === null) throw new Error(`no tenant ${host}`);
  return tenant;
}

/** Sets what a tenant sets for itself, as an operator would. */
export async function setLimits(
  service: TestService,
  host: string,
  limits: Partial<TenantLimits>,
): Promise<void> {
  const { id } = tenantOf(service, host);
  await service.store.transaction(async (tx) => {
    await tx
      .updateTable('tenants')
      .set({ limits: JSON.stringify(limits) })
      .where('id', '=', id)
      .execute();
    await service.tenants.reload(tx);
  });
}

/** A service of the fixtures: on its tenant A tests ask for as many codes as they like. */
export async function startUnlimited(options: Partial<TestServiceOptions> = {}): Promise<TestService> {
  const service = await startTestService({ data: 'security', ...options });
  await setLimits(service, hosts.a, unlimited);
  return service;
}

/** Forgets every wrong entry of a user code, for tests of something else. */
export async function forgetWrongCodes({ store }: TestService): Promise<void> {
  await store.transaction((tx) => tx.deleteFrom('wrongUserCodes').execute());
}

/** Phones of so many more members. */
export async function phonesOf(service: TestService, host: string, count: number): Promise<readonly Phone[]> {
  const { id: tenantId } = tenantOf(service, host);
  const hash = await service.passwords.hash('memberdoor-development');
  const phones: Phone[] = [];
  for (let number = 1; number <= count; number += 1) {
    const email = `more${number}@example.test`;
    const member = memberOf(tenantId, email, 100 + number, service.clock.now());
    await service.store.transaction((tx) => insertMember(tx, member, hash));
    phones.push(await phoneOf(service, host, email));
  }
  return phones;
}
