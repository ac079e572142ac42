import type { EmailCodes } from '../../../src/core/tenant.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { tenantOf } from '../device.ts';
import type { Answer } from '../http.ts';
import { codeIn } from '../mails/outbox.ts';
import type { TestService } from '../service.ts';
import { apps } from '../tokens.ts';
import { authorizationParameters, field, pkce, type Visitor } from '../visitor.ts';

/** Sets whether the members of a tenant sign in with codes by mail. */
export async function setEmailCodes(
  service: TestService,
  host: string,
  emailCodes: EmailCodes,
): Promise<void> {
  await service.store.transaction(async (tx) => {
    await changeTenant(tx, tenantOf(service, host).id, { emailCodes });
    await service.tenants.reload(tx);
  });
}

/** Presses "Email me a code" on the sign-in page of a client. */
export async function askForCode(
  browser: Visitor,
  email: string,
  { headers = {}, state = 'the state' }: { headers?: Record<string, string>; state?: string } = {},
): Promise<{ readonly form: Answer; readonly answer: Answer }> {
  const { clientId, redirectUri } = apps.pub1;
  const parameters = authorizationParameters(clientId, redirectUri, pkce(), { state, prompt: 'login' });
  const form = await browser.authorize(parameters);
  const body = { flow: field(form, 'flow'), email, action: 'code' };
  return { form, answer: await browser.send('/sign-in', { body, headers }) };
}

/** The same, with the page that takes the code, and the code of the mail. */
export async function askedForCode(
  service: TestService,
  browser: Visitor,
  email: string,
  options: Parameters<typeof askForCode>[2] = {},
): Promise<{ readonly page: Answer; readonly code: string }> {
  const { answer } = await askForCode(browser, email, options);
  const page = await browser.send(String(answer.headers.location));
  return { page, code: await codeTo(service, email) };
}

/** The digits of the newest code to an address. */
export async function codeTo(service: TestService, email: string): Promise<string> {
  await service.delivered();
  const mail = service.outbox.sent.findLast(({ to, name }) => to === email && name === 'signInCode');
  if (mail === undefined) throw new Error(`no code to ${email}`);
  return codeIn(mail);
}

/** Types digits into the page that takes them. */
export const typeCode = (browser: Visitor, page: Answer, code: string): Promise<Answer> =>
  browser.send('/sign-in/code', { body: { flow: field(page, 'flow'), code } });

/** Six digits that are not these. */
export const wrongCode = (code: string, index = 0): string =>
  String((Number(code.replace(' ', '')) + 1 + index) % 1_000_000).padStart(6, '0');
