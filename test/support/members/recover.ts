import { expect } from 'vitest';
import type { Member } from '../../../src/core/members/member.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import { tenantOf } from '../device.ts';
import { memberOf } from '../fixtures.ts';
import type { Answer } from '../http.ts';
import { linkIn } from '../mails/outbox.ts';
import type { TestService } from '../service.ts';
import { apps } from '../tokens.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../visitor.ts';

/** Asks for a new password at a client's recovery page, in a browser of its own or the one given. */
export async function askForRecovery(
  service: TestService,
  host: string,
  email: string,
  { browser = visitor(service, host), state = 'the state', proof = pkce() } = {},
): Promise<{
  readonly browser: Visitor;
  readonly form: Answer;
  readonly answer: Answer;
  readonly sent: Answer;
}> {
  const { clientId, redirectUri } = apps.pub1;
  const parameters = authorizationParameters(clientId, redirectUri, proof, { state, prompt: 'login' });
  const signIn = await browser.authorize(parameters);
  const form = await browser.send(`/recover?flow=${field(signIn, 'flow')}`);
  const answer = await submitRecovery(browser, form, email);
  const sent = await browser.send(String(answer.headers.location));
  return { browser, form, answer, sent };
}

/** Types an address into the recovery form of a page, and sends it. */
export function submitRecovery(browser: Visitor, form: Answer, email: string): Promise<Answer> {
  return browser.send('/recover', { body: { flow: field(form, 'flow'), email } });
}

/** Asks for a new password, and returns the path of the mail's link. */
export async function recoveryLink(
  service: TestService,
  host: string,
  email: string,
  options: Parameters<typeof askForRecovery>[3] = {},
): Promise<string> {
  const { answer } = await askForRecovery(service, host, email, options);
  expect(answer.status).toBe(303);
  await service.delivered();
  const mail = service.outbox.sent.findLast(({ to, name }) => to === email && name === 'passwordReset');
  if (mail === undefined) throw new Error(`no link to ${email}`);
  return new URL(linkIn(mail)).pathname;
}

/** Fills in the page of a recovery link; `everywhere` is its box, which is ticked unless the member unticks it. */
export function submitReset(
  browser: Visitor,
  link: string,
  password: string,
  everywhere = true,
): Promise<Answer> {
  return browser.send(link, { body: { password, ...(everywhere ? { everywhere: 'yes' } : {}) } });
}

export const oldPassword = 'the old password of all';

let members = 0;

/** One more member of a tenant, whose password is the old one. */
export async function addMember(service: TestService, host: string): Promise<Member> {
  members += 1;
  const member = memberOf(
    tenantOf(service, host).id,
    `r${members}@example.test`,
    100 + members,
    service.clock.now(),
  );
  const hash = await service.passwords.hash(oldPassword);
  await service.store.transaction((tx) => insertMember(tx, member, hash));
  return member;
}
