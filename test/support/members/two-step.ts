import { hosts } from '../fixtures.ts';
import type { Answer } from '../http.ts';
import { run } from '../operators/desk.ts';
import type { TestService } from '../service.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../visitor.ts';
import { giveSecondFactor, type OwnFactor } from './second-factor.ts';

/** The password of all of these members. */
export const password = 'kvist og eld i skogen';

/** A member with two-step sign-in, and a browser that has not been used. */
export interface Ready extends OwnFactor {
  readonly id: string;
  readonly email: string;
  readonly browser: Visitor;
}

/** New members of a service, and their way through the sign-in. */
export function twoStepsOf(service: TestService) {
  let made = 0;
  const newMember = async (host: string = hosts.a): Promise<Pick<Ready, 'id' | 'email'>> => {
    made += 1;
    const email = `two${made}@example.test`;
    const facts = { email, fullName: 'Two Steps', password };
    const { id } = await run<{ id: string }>(service, 'members.create', { tenant: host, ...facts });
    return { id, email };
  };
  return {
    newMember,
    async ready(): Promise<Ready> {
      const member = await newMember();
      const factor = await giveSecondFactor(service, member.id);
      return { ...member, ...factor, browser: visitor(service, hosts.a) };
    },
    /** Changes tenant A. */
    set: (changes: object) => run(service, 'tenants.change', { tenant: hosts.a, ...changes }),
  };
}

export const parameters = () => authorizationParameters('pub1', 'https://pub1.test/cb', pkce());

/** Gives the password for a client, and opens the page that it leads to. */
export async function begin(browser: Visitor, email: string, word = password): Promise<Answer> {
  const page = await browser.authorize(parameters());
  const answer = await browser.signIn(page, email, word);
  return answer.headers.location?.startsWith('/second-factor') === true
    ? browser.send(answer.headers.location)
    : answer;
}

/** Sends the form of the second step. */
export const give = (browser: Visitor, page: Answer, form: Record<string, string>) =>
  browser.send('/second-factor', { body: { flow: field(page, 'flow'), ...form } });

export const isSignedIn = async (browser: Visitor) => (await browser.send('/account')).status === 200;
