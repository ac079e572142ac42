import { setTimeout as wait } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import type { Answer } from '../../../test/support/http.ts';
import { codeIn } from '../../../test/support/mails/outbox.ts';
import { newPassword } from '../../../test/support/members/sign-up.ts';
import { apps } from '../../../test/support/tokens.ts';
import {
  authorizationParameters,
  field,
  pkce,
  type Visitor,
  visitor,
} from '../../../test/support/visitor.ts';
import type { Served } from '../site.ts';
import { expectStatus, type LedgerClient } from './client.ts';

const { clientId, redirectUri } = apps.spa;
/** How long a mail may take to be in the outbox, in ms. */
const mailTime = 5_000;

interface Applicant {
  readonly email: string;
  readonly browser: Visitor;
  readonly verify: string;
  stage: 'asked' | 'proving' | 'member';
}

/** Signs new members up, with the digits of the mail. */
export function signUpClient(name: string): LedgerClient {
  let count = 0;
  let applicants: Applicant[] = [];

  const prove = async (site: Served, { browser, verify, email }: Applicant) => {
    const digits = await digitsFor(site, email);
    const page = await browser.send(verify);
    return (): Promise<Answer> =>
      browser.send('/sign-up/verify', { body: { proof: field(page, 'proof'), code: digits } });
  };

  const checkOne = async (site: Served, applicant: Applicant): Promise<readonly string[]> => {
    const { email, stage } = applicant;
    if (stage === 'asked') {
      const browser = copyOf(site, applicant.browser);
      const answer = await (await prove(site, { ...applicant, browser }))();
      if (answer.status !== 303) return [`a sign-up that was asked for cannot be proven: ${answer.status}`];
    }
    const isIn = await signsIn(site, email, newPassword);
    return isIn || stage === 'proving' ? [] : ['a member whose sign-up was acknowledged cannot sign in'];
  };

  return {
    name,
    act: async (site, ledger) => {
      count += 1;
      const email = `${name}-${count}-${Date.now()}@example.org`;
      const browser = visitor(site.service, site.host);
      const parameters = authorizationParameters(clientId, redirectUri, pkce(), { prompt: 'create' });
      const form = { flow: field(await browser.authorize(parameters), 'flow'), email, password: newPassword };
      ledger.intent('sign-up');
      const asked = await browser.send('/sign-up', { body: { ...form, fullName: 'Nova Lund' } });
      expectStatus(asked, 303, 'a sign-up');
      const applicant: Applicant = {
        email,
        browser,
        verify: String(asked.headers.location),
        stage: 'asked',
      };
      applicants.push(applicant);
      ledger.ack('sign-up');
      const send = await prove(site, applicant);
      ledger.intent('prove');
      applicant.stage = 'proving';
      expectStatus(await send(), 303, 'the digits of a mail');
      applicant.stage = 'member';
      ledger.ack('prove');
    },
    check: async (site) => {
      const some = applicants;
      applicants = [];
      const problems = [];
      for (const applicant of some) problems.push(...(await checkOne(site, applicant)));
      return problems;
    },
  };
}

/** The same browser, on the service as it runs now. */
function copyOf({ service, host }: Served, browser: Visitor): Visitor {
  const copy = visitor(service, host);
  for (const [cookie, value] of browser.cookies) copy.cookies.set(cookie, value);
  return copy;
}

/** Whether this password opens the account. */
export async function signsIn({ service, host }: Served, email: string, password: string): Promise<boolean> {
  const browser = visitor(service, host);
  const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
  const { status, text } = await browser.signIn(page, email, password);
  if (status !== 303 && status !== 422) throw new Error(`a sign-in was answered by ${status}: ${text}`);
  return status === 303;
}

/** The digits of the mail to an address. @throws if none comes in time, or the service ends before */
async function digitsFor({ mailTo, host, http }: Served, email: string): Promise<string> {
  const until = performance.now() + mailTime;
  for (;;) {
    const mail = mailTo(email);
    if (mail !== null) return codeIn({ text: (await PostalMime.parse(mail)).text ?? '' });
    if (performance.now() > until) throw new Error('no mail of an acknowledged sign-up comes');
    await wait(10);
    await http(host, '/livez');
  }
}
