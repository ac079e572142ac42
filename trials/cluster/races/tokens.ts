import { approvedCodes, phoneOf, poll } from '../../../test/support/device.ts';
import { apps, refreshAs, revoke } from '../../../test/support/tokens.ts';
import { codeFor, type Tokens, token, visitor } from '../../../test/support/visitor.ts';
import { newFamily } from '../../faults/clients/client.ts';
import type { Served } from '../../faults/site.ts';
import { playerOf } from '../site/tenants.ts';
import { type Race, wordsOf } from './race.ts';

const { clientId, redirectUri } = apps.spa;
const tv = { clientId: 'tv' };
const email = playerOf(0);

/** What each of these refresh tokens is worth. */
async function worthOf({ service, host }: Served, tokens: readonly (string | undefined)[]): Promise<string> {
  const words: string[] = [];
  for (const one of tokens) {
    if (one !== undefined) words.push(wordsOf(await refreshAs(service, host, apps.spa, one)));
  }
  return words.join(', ');
}

const refreshTokenIn = (text: string) => (JSON.parse(text) as Partial<Tokens>).refresh_token;

/** Uses a grant as often as there are parts, and then every refresh token that this brought. */
function grants(
  count: number,
  grant: (at: Served) => ReturnType<typeof token>,
  app: { readonly clientId: string } = apps.spa,
) {
  const given: string[] = [];
  return {
    parts: Array.from({ length: count }, () => async (at: Served) => {
      const answer = await grant(at);
      if (answer.status === 200) given.push(String(refreshTokenIn(answer.text)));
      return wordsOf(answer);
    }),
    after: async ({ service, host }: Served) => {
      const words: string[] = [];
      for (const one of given) {
        const body = { grant_type: 'refresh_token', client_id: app.clientId, refresh_token: one };
        words.push(wordsOf(await token(service, host, body)));
      }
      return words.join(', ');
    },
  };
}

export const refreshTwice: Race = {
  name: 'refresh and refresh',
  isOfEquals: true,
  begin: async (site) => {
    const old = await newFamily(site, undefined, email);
    return grants(2, ({ service, host }) => refreshAs(service, host, apps.spa, old));
  },
};

export const codeTwice: Race = {
  name: 'code and code',
  isOfEquals: true,
  begin: async ({ service, host }) => {
    const { code, verifier } = await codeFor(visitor(service, host), clientId, redirectUri, {}, email);
    const grant = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
    return grants(2, (at) => token(at.service, at.host, grant));
  },
};

export const pollTwice: Race = {
  name: 'poll and poll of an approved TV',
  isOfEquals: true,
  begin: async ({ service, host }) => {
    const { device_code: code } = await approvedCodes(service, await phoneOf(service, host, email), tv);
    return grants(2, (at) => poll(at.service, at.host, code, tv), tv);
  },
};

export const refreshAndRevoke: Race = {
  name: 'refresh and revoke',
  isOfEquals: false,
  begin: async (site) => {
    const old = await newFamily(site, undefined, email);
    let fresh: string | undefined;
    return {
      parts: [
        async ({ service, host }) => {
          const answer = await refreshAs(service, host, apps.spa, old);
          if (answer.status === 200) fresh = refreshTokenIn(answer.text);
          return wordsOf(answer);
        },
        async ({ service, host }) =>
          wordsOf(await revoke(service, host, { client_id: clientId, token: old })),
      ],
      after: (at) => worthOf(at, [fresh, old]),
    };
  },
};
