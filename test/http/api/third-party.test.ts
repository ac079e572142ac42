import { beforeAll, describe, expect, it } from 'vitest';
import { registerClient } from '../../../src/operations/client/client.ts';
import { type Api, apiOf, bearer, profileUrl } from '../../support/api.ts';
import { claimsOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../support/visitor.ts';

const partner = { clientId: 'a-partner', redirectUri: 'https://partner.test/cb' };
const ada = 'ada@example.com';

const service = useService({ data: 'development' });
let acme: Api;

beforeAll(async () => {
  acme = apiOf(service, 'localhost');
  const registration = {
    clientId: partner.clientId,
    name: 'A Partner',
    type: 'public',
    redirectUris: [partner.redirectUri],
    thirdParty: true,
  } as const;
  await service.store.transaction((tx) => registerClient(tx, acme.tenant.id, registration, 0));
});

/** Ada allows the partner these scopes on the page that asks for them. */
const allow = async (scope: string) => {
  const browser = visitor(service, acme.host);
  const proof = pkce();
  const parameters = authorizationParameters(partner.clientId, partner.redirectUri, proof, { scope });
  const signedIn = await browser.signIn(await browser.authorize(parameters), ada);
  const question = await browser.send(String(signedIn.headers.location));
  const body = { flow: field(question, 'flow'), action: 'allow' };
  const code = answerOf(await browser.send('/consent', { body })).get('code');
  const answer = await token(service, acme.host, {
    grant_type: 'authorization_code',
    client_id: partner.clientId,
    code: String(code),
    code_verifier: proof.verifier,
  });
  expect(answer.status, answer.text).toBe(200);
  const list = [...question.text.matchAll(/<li>.*?<span>([^<]*)<\/span><\/li>/gs)].map(([, text]) => text);
  return { promised: list, tokens: answer.json<Tokens>() };
};

const read = async (accessToken: string, path: string) => {
  const answer = await service.http(acme.host, `${profileUrl}${path}`, { headers: bearer(accessToken) });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Record<string, unknown>>();
};

/** What the member API says of Ada to a client that may see no more than her identity. */
const nothing = (ofAda: Record<string, unknown>) => ({
  id: ofAda.id,
  userId: 0,
  userType: 'member',
  fullName: '',
  email: '',
  phone: '',
  avatar: null,
  nickName: '',
  memberNumber: 0,
  address: {
    line1: null,
    city: null,
    postCode: null,
    postOffice: null,
    country: null,
    name: null,
    email: null,
  },
});

/** The fields that each scope opens, and what the page says of it. */
const parts = {
  profile: [
    ['fullName', 'nickName', 'avatar', 'userId', 'memberNumber'],
    'See your name, nickname, picture, language and member number',
  ],
  email: [['email'], 'See your email address'],
  phone: [['phone'], 'See your phone number'],
  address: [['address'], 'See your postal address'],
  subscriptions: [
    ['subscriptions', 'contentChannels'],
    'See your subscriptions and what they give you access to',
  ],
} as const;
type Part = keyof typeof parts;
const all = Object.keys(parts) as Part[];

/** Nothing, each alone, two, and all. */
const combinations: readonly { readonly given: readonly Part[] }[] = [
  [],
  ...all.map((part) => [part]),
  ['phone', 'subscriptions'] as const,
  all,
].map((given) => ({ given }));

const identifier = 'Recognise you when you come back';

describe("what a third party's client gets (decision 41)", () => {
  it.each(combinations)(
    'decision 41: with openid and $given the member API gives what the page listed, and nothing else',
    async ({ given }) => {
      const { promised, tokens } = await allow(['openid', ...given].join(' '));
      expect(promised).toEqual([identifier, ...given.map((part) => parts[part][1])]);
      const whole: Record<string, unknown> = {
        ...(await read(await acme.token(ada), '/info-with-active-subscriptions')),
        ...(await read(await acme.token(ada), '/info-with-content-access')),
      };
      const open = new Set<string>(given.flatMap((part) => [...parts[part][0]]));
      const seen = (expected: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries(expected).map(([name, value]) => [name, open.has(name) ? whole[name] : value]),
        );
      const basics = seen(nothing(whole));
      // What a postal address repeats of the member is opened by the scope of that.
      const address = { ...(basics.address as object) };
      if (open.has('address') && !open.has('fullName')) Object.assign(address, { name: null });
      if (open.has('address') && !open.has('email')) Object.assign(address, { email: null });
      expect(await read(tokens.access_token, '/info-with-active-subscriptions')).toEqual({
        ...basics,
        address,
        ...seen({ subscriptions: [] }),
      });
      expect(await read(tokens.access_token, '/info-with-content-access')).toEqual({
        ...basics,
        address,
        ...seen({ contentChannels: [] }),
      });
    },
  );

  it('decision 41: a refresh that narrows the scope narrows what its token opens', async () => {
    const { tokens } = await allow('openid offline_access profile subscriptions');
    const narrowed = await token(service, acme.host, {
      grant_type: 'refresh_token',
      client_id: partner.clientId,
      refresh_token: String(tokens.refresh_token),
      scope: 'openid offline_access',
    });
    const { access_token: narrow } = narrowed.json<Tokens>();
    expect(await read(narrow, '/info-with-active-subscriptions')).toMatchObject({
      fullName: '',
      subscriptions: [],
    });
    expect(await read(tokens.access_token, '/info-with-active-subscriptions')).toMatchObject({
      fullName: 'Ada Nilsen',
    });
  });

  it("decision 41: the tenant's own client gets the contract's whole answer, whatever its scope", async () => {
    const profile = await read(await acme.token(ada), '/info-with-active-subscriptions');
    expect(claimsOf(await acme.token(ada)).scope).toBe('openid offline_access');
    expect(profile).toMatchObject({
      fullName: 'Ada Nilsen',
      email: ada,
      phone: expect.stringMatching(/^\+/),
    });
    expect(profile.subscriptions).toHaveLength(2);
  });
});
