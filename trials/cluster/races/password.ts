import { apps } from '../../../test/support/tokens.ts';
import { authorizationParameters, pkce, visitor } from '../../../test/support/visitor.ts';
import { developmentPassword } from '../../faults/clients/client.ts';
import type { Served } from '../../faults/site.ts';
import { racerOf } from '../site/tenants.ts';
import { type Race, wordsOf } from './race.ts';

const { clientId, redirectUri } = apps.spa;
/** More than the five after which an account waits (security, Defaults; F1). */
const guesses = 8;

async function signIn({ service, host }: Served, email: string, password: string): Promise<string> {
  const browser = visitor(service, host);
  const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
  return wordsOf(await browser.signIn(page, email, password));
}

/** Wrong passwords of one account, all at once, from many addresses; then the right one. */
export const guessPasswords: Race = {
  name: `${guesses} wrong passwords of one account`,
  isOfEquals: true,
  begin: async (_at, round) => {
    const email = racerOf('password', round);
    return {
      parts: Array.from(
        { length: guesses },
        (_, index) => (at: Served) => signIn(at, email, `not the password ${index}`),
      ),
      after: (at) => signIn(at, email, developmentPassword),
    };
  },
};

/** Unknown accounts tried from one address, all at once: thirty failures a minute (security, Defaults). */
export const guessFromAddress: Race = {
  name: '40 failed sign-ins from one address',
  isOfEquals: true,
  oneIn: 10,
  begin: async (_at, round) => {
    const address = `203.0.${Math.floor(round / 250)}.${round % 250}`;
    const from = (at: Served): Served => {
      const http: typeof at.http = Object.assign(
        (...[host, path, ask = {}]: Parameters<typeof at.http>) =>
          at.http(host, path, { ...ask, headers: { ...ask.headers, 'x-forwarded-for': address } }),
        { close: () => {} },
      );
      return { ...at, http, service: { ...at.service, http } };
    };
    return {
      parts: Array.from(
        { length: 40 },
        (_, index) => (at: Served) => signIn(from(at), `nobody-${round}-${index}@example.com`, 'a wrong one'),
      ),
      after: (at) => signIn(from(at), `nobody-${round}@example.com`, 'a wrong one'),
    };
  },
};
