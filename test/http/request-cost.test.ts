import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { askForCode, codesFor, poll, setLimits, unlimited } from '../support/device.ts';
import { hosts } from '../support/fixtures.ts';
import type { Answer } from '../support/http.ts';
import { allocatedBy, countStatements, type DatabaseCost } from '../support/queries/cost.ts';
import { apps, credentialsOf, profile, refreshAs, revoke, tokensOf } from '../support/tokens.ts';
import { useService } from '../support/use-service.ts';
import { answerOf, authorizationParameters, pkce, type Tokens, token, visitor } from '../support/visitor.ts';

const costOf = countStatements();
const service = useService({ data: 'security' });
const { a } = hosts;
const app = apps.pub1;
let browser: ReturnType<typeof visitor>;

beforeAll(async () => {
  await setLimits(service, a, unlimited);
  browser = visitor(service, a);
  await newTokens();
});

/** Tokens of a sign-in of its own, in one session. */
const newTokens = () => tokensOf(service, a, app, { browser });
const newDeviceCode = async () => {
  const { device_code: deviceCode } = await codesFor(service, a);
  service.clock.advance(60_000);
  return deviceCode;
};

/** A sign-in at the protocol, in a browser that has a session. */
async function signIn(): Promise<Answer> {
  const proof = pkce();
  const asked = authorizationParameters(app.clientId, app.redirectUri, proof);
  const code = String(answerOf(await browser.authorize(asked)).get('code'));
  const body = { ...credentialsOf(app), code, code_verifier: proof.verifier };
  return token(service, a, { grant_type: 'authorization_code', ...body });
}

interface Asked<Ready> {
  /** Makes what the request is about, which is not counted. */
  readonly ready: () => Promise<Ready>;
  readonly ask: (ready: Ready) => Promise<Answer>;
  /** What it may cost: bytes are those of the answer's body and those that the service allocates. */
  readonly atMost: {
    readonly statements: number;
    readonly commits: number;
    readonly pages: number;
    readonly body: number;
    readonly allocated: number;
  };
}

const asking = <Ready>(asked: Asked<Ready>) => asked as Asked<unknown>;
const nothing = async () => {};
const free = { statements: 0, commits: 0, pages: 0 };

const requests = {
  discovery: asking({
    ready: nothing,
    ask: () => service.http(a, '/.well-known/openid-configuration'),
    atMost: { ...free, body: 1_800, allocated: 48_000 },
  }),
  'the JWKS': asking({
    ready: nothing,
    ask: () => service.http(a, '/api/oidc/jwks'),
    atMost: { ...free, body: 800, allocated: 48_000 },
  }),
  'a refresh': asking({
    ready: newTokens,
    ask: ({ refresh_token: refreshToken }: Tokens) => refreshAs(service, a, app, refreshToken),
    atMost: { statements: 3, commits: 1, pages: 7, body: 1_700, allocated: 155_000 },
  }),
  'a sign-in with a session': asking({
    ready: nothing,
    ask: signIn,
    // One of them takes the number of the event, for which there was a transaction of its own.
    atMost: { statements: 11, commits: 2, pages: 34, body: 1_700, allocated: 310_000 },
  }),
  'a device authorization': asking({
    ready: nothing,
    ask: () => askForCode(service, a),
    atMost: { statements: 3, commits: 1, pages: 18, body: 300, allocated: 125_000 },
  }),
  'a pending poll': asking({
    ready: newDeviceCode,
    ask: (deviceCode: string) => poll(service, a, deviceCode),
    atMost: { statements: 1, commits: 0, pages: 0, body: 100, allocated: 95_000 },
  }),
  'a revocation': asking({
    ready: newTokens,
    ask: ({ refresh_token: refreshToken }: Tokens) =>
      revoke(service, a, { ...credentialsOf(app), token: String(refreshToken) }),
    atMost: { statements: 6, commits: 1, pages: 30, body: 0, allocated: 120_000 },
  }),
  'a profile': asking({
    ready: newTokens,
    ask: ({ access_token: accessToken }: Tokens) => profile(service, a, accessToken),
    atMost: { statements: 2, commits: 0, pages: 0, body: 900, allocated: 135_000 },
  }),
};

const samples = 10;

/** What a request costs by itself: work that the service does at the same time, such as looking for due events, only adds. */
function leastOf(counts: readonly DatabaseCost[]): DatabaseCost {
  const least = (figure: keyof DatabaseCost) => Math.min(...counts.map((count) => count[figure]));
  return { statements: least('statements'), commits: least('commits'), pages: least('pages') };
}

it.each(Object.entries(requests))(
  'performance: %s costs no more statements, commits, pages and bytes than it did',
  async (_name, { ready, ask, atMost }) => {
    // The first of its kind prepares its statements and compiles its code.
    await ask(await ready());
    let answer: Answer | undefined;
    const counts: DatabaseCost[] = [];
    for (let counted = 0; counted < samples; counted += 1) {
      const thing = await ready();
      const count = async () => {
        answer = await ask(thing);
      };
      counts.push(await costOf(join(service.folder, 'memberdoor.db'), count));
    }
    const things: unknown[] = [];
    for (let made = 0; made < samples; made += 1) things.push(await ready());
    const allocated = await allocatedBy(async () => {
      for (const one of things) await ask(one);
    });
    const all = {
      ...leastOf(counts),
      body: Buffer.byteLength(answer?.text ?? ''),
      allocated: Math.round(allocated / samples),
    };
    const dearer = Object.entries(atMost).filter(([figure, most]) => all[figure as keyof typeof all] > most);
    expect(dearer, JSON.stringify(all)).toEqual([]);
  },
);
