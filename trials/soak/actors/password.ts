import { authorizationParameters, pkce, visitor } from '../../../test/support/visitor.ts';
import { type Actor, anyUnder, expectStatus, type Stage } from '../actor.ts';
import { apps, emailOf, host } from '../site.ts';

/** Tries passwords of accounts that are there and of others, from many addresses. */
export const passwordGuesser: Actor = { name: 'wrong passwords', count: 2, pause: 600, begin };

function begin({ from }: Stage): () => Promise<void> {
  const { clientId, redirectUri } = apps.spa;
  return async () => {
    const browser = visitor(from(`198.18.7.${anyUnder(200)}`), host);
    const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
    const number = anyUnder(40);
    const email = number < 20 ? emailOf('victim', number) : `nobody${number}@soak.test`;
    const answer = await browser.signIn(page, email, `guess number ${anyUnder(1_000_000)}`);
    expectStatus(answer, 'a wrong password', 422, 429);
  };
}
