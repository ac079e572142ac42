// What the room's web client does: it begins, comes back with a code, exchanges, asks, refreshes, revokes.

import type { FastifyRequest } from 'fastify';
import { registerClient } from '../../../../operations/client/client.ts';
import { findClient } from '../../../../storage/clients/client.ts';
import { storeOf } from '../../../audit.ts';
import type { Deps } from '../../../deps.ts';
import { type Answer, call, profilePath, readEndpoints, sentTimes } from '../call.ts';
import type { Rooms } from '../memory.ts';
import type { Seat } from '../set.ts';
import {
  beginRun,
  callbackUrl,
  heardTokens,
  noted,
  type WebRun,
  type WebStep,
  webClientId,
  webUrl,
} from './run.ts';

export type WebClient = ReturnType<typeof createWebClient>;

export function createWebClient(rooms: Rooms, deps: Deps) {
  const tokensOf = (seat: Seat) => runOf(rooms, seat)?.tokens;
  return {
    /** A new verifier, state and nonce for each sign-in. @returns null where the client cannot be had */
    async begin(seat: Seat, request: FastifyRequest): Promise<WebRun | null> {
      if (!(await isThere(request, deps))) return null;
      const endpoints = await readEndpoints(seat.place, seat.tenant);
      if (endpoints === null) return null;
      const run = beginRun(endpoints, deps.random);
      keep(rooms, seat, run);
      return run;
    },
    exchange: (seat: Seat) => exchange(rooms, seat, undefined),
    /** With a verifier that the challenge was not made from, as a thief of the code would. */
    exchangeWrong: (seat: Seat) => exchange(rooms, seat, deps.random.secret()),
    ask: (seat: Seat) => ask(rooms, seat),
    refresh: (seat: Seat) => refresh(rooms, seat, tokensOf(seat)?.refreshToken),
    replay: (seat: Seat) => refresh(rooms, seat, tokensOf(seat)?.oldRefreshToken),
    refreshTwice: (seat: Seat) => refresh(rooms, seat, tokensOf(seat)?.refreshToken, 2),
    revoke: (seat: Seat) => revoke(rooms, seat),
  };
}

const runOf = (rooms: Rooms, { tenant }: Seat) => rooms.of(tenant.id).web;
const keep = (rooms: Rooms, { tenant }: Seat, web: WebRun) => rooms.change(tenant.id, { web });

/** Sends a form to an endpoint, so many times at once; the run takes in what came. */
async function send(
  rooms: Rooms,
  seat: Seat,
  step: WebStep,
  form: Readonly<Record<string, string>>,
  taken: (run: WebRun, answer: Answer | null) => WebRun,
  times = 1,
): Promise<void> {
  const endpoints = runOf(rooms, seat)?.endpoints;
  if (endpoints === undefined) return;
  const path = step === 'revoke' ? endpoints.revocation : endpoints.token;
  const asked = { path, form: { client_id: webClientId, ...form } };
  for (const answer of await sentTimes(times, (meeting) => call(seat.place, asked, meeting))) {
    const now = runOf(rooms, seat);
    if (now !== null) keep(rooms, seat, noted(taken(now, answer), step, answer?.reference ?? null));
  }
}

async function exchange(rooms: Rooms, seat: Seat, verifier: string | undefined): Promise<void> {
  const run = runOf(rooms, seat);
  const code = run?.callback?.code;
  if (run === null || typeof code !== 'string') return;
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: `${seat.tenant.issuer}${callbackUrl}`,
    code_verifier: verifier ?? run.verifier,
  };
  await send(rooms, seat, 'exchange', form, heardTokens);
}

async function refresh(rooms: Rooms, seat: Seat, token: string | null | undefined, times = 1): Promise<void> {
  if (typeof token !== 'string') return;
  const form = { grant_type: 'refresh_token', refresh_token: token };
  await send(rooms, seat, 'refresh', form, heardTokens, times);
}

/** Asks for the profile, at the member API and at UserInfo. */
async function ask(rooms: Rooms, seat: Seat): Promise<void> {
  const run = runOf(rooms, seat);
  const accessToken = run?.tokens?.accessToken;
  const userinfo = run?.endpoints.userinfo;
  if (accessToken === undefined || userinfo === undefined) return;
  for (const path of [profilePath, userinfo]) {
    const answer = await call(seat.place, { path, accessToken });
    const now = runOf(rooms, seat);
    if (now !== null) keep(rooms, seat, noted(now, 'ask', answer?.reference ?? null));
  }
}

async function revoke(rooms: Rooms, seat: Seat): Promise<void> {
  const token = runOf(rooms, seat)?.tokens?.refreshToken;
  if (typeof token !== 'string') return;
  const form = { token, token_type_hint: 'refresh_token' };
  await send(rooms, seat, 'revoke', form, (run, answer) =>
    answer?.status === 200 ? { ...run, tokens: null, ended: 'revoked' } : run,
  );
}

/** Makes the client where it is not there: it is a public one, as an app in a browser is. */
async function isThere(request: FastifyRequest, deps: Deps): Promise<boolean> {
  const { id, issuer } = request.tenant;
  const redirectUri = `${issuer}${callbackUrl}`;
  return storeOf(request, deps).transaction(async (tx) => {
    const known = await findClient(tx, id, webClientId);
    if (known !== null) return known.redirectUris.includes(redirectUri) && known.type === 'public';
    await registerClient(
      tx,
      id,
      {
        clientId: webClientId,
        name: 'Rehearsal room',
        type: 'public',
        redirectUris: [redirectUri],
        postLogoutRedirectUris: [`${issuer}${webUrl}`],
      },
      deps.clock(),
    );
    await deps.tenants.reload(tx);
    return true;
  });
}
