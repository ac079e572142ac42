// Does to answers of development tenants what the waiting faults say.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '../../../core/decision.ts';
import { readRefreshToken } from '../../../core/grants/refresh-token.ts';
import { sha256 } from '../../../core/hash.ts';
import { retryAfterSeconds } from '../../../core/limits.ts';
import type { Asked, Fault } from '../../../core/rehearsal/fault.ts';
import { faultDelay } from '../../../core/rehearsal/limits.ts';
import { claimsOf } from '../../../core/rehearsal/masking.ts';
import { findAuthorizationCode } from '../../../storage/grants/authorization-code.ts';
import { findDeviceCode } from '../../../storage/grants/device-code.ts';
import { findSessionBySecret } from '../../../storage/grants/session.ts';
import { findSignIn } from '../../../storage/grants/sign-in.ts';
import type { Tx } from '../../../storage/store.ts';
import { noStore, sendRefusal } from '../../answers.ts';
import { sessionCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { bodyForm } from '../../form.ts';
import { tooMany } from '../../limit-reached.ts';
import { sentToken } from '../../oidc/dpop/bound-token.ts';
import { clientOf, endpointOf, noteFault } from '../wire/watch.ts';
import type { Faults } from './faults.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** What is to happen to an answer when it leaves. */
const onLeaving = new WeakMap<FastifyRequest, Fault>();

/** Strikes before the work is done, where the fault stands in its place: then nothing was changed. */
export function strikeRequests(app: FastifyInstance, faults: Faults, deps: Deps): void {
  app.addHook('preHandler', async (request, reply) => {
    const asked = askedBy(request);
    const { tenant } = request;
    if (asked === null || !faults.mayMeet(tenant.id, asked)) return undefined;
    const memberId = faults.asksForMember(tenant.id, asked) ? await memberOf(request, deps) : null;
    const fault = faults.take(tenant.id, asked, memberId);
    if (fault === null) return undefined;
    noteFault(request, fault.kind, fault.kind === 'drop');
    if (fault.kind === 'delay' || fault.kind === 'drop') {
      onLeaving.set(request, fault);
      return undefined;
    }
    return answerInstead(reply, fault);
  });
}

/** Strikes when the work is done: the answer comes late, or its connection ends before it. */
export function strikeAnswers(app: FastifyInstance, { pause }: Pick<Deps, 'pause'>): void {
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const fault = onLeaving.get(request);
    if (fault === undefined) return done();
    onLeaving.delete(request);
    if (fault.kind === 'delay') {
      void pause((fault.seconds ?? faultDelay.usual) * 1_000).then(() => done());
      return undefined;
    }
    request.raw.socket.destroy();
    return done();
  });
}

/** A request as faults see it; null for one that no fault is for. */
function askedBy(request: FastifyRequest): Asked | null {
  if (request.tenant?.development !== true || request.method === 'OPTIONS') return null;
  const endpoint = endpointOf(request);
  if (endpoint === null) return null;
  const isPoll = endpoint === 'token' && bodyForm(request)?.get('grant_type')?.[0] === deviceGrant;
  return { endpoint, client: clientOf(request), isPoll, isCallback: false };
}

/** What a network shows in front of the service that wants its guest to agree to something. */
const networkPage =
  '<!doctype html><html lang="en"><title>Welcome to this network</title><p>Sign in to go on.</p></html>\n';

function answerInstead(reply: FastifyReply, { kind, seconds }: Fault): FastifyReply {
  switch (kind) {
    case '429':
      return sendRefusal(reply.header('retry-after', seconds ?? retryAfterSeconds), tooMany);
    case '500':
      return sendRefusal(
        reply,
        refusal('server_error', 'the rehearsal room answers in place of the service'),
        500,
      );
    case 'slow_down':
      return sendRefusal(
        reply,
        refusal('slow_down', 'the rehearsal room says that this poll came too early'),
      );
    default:
      return noStore(reply).status(200).type('text/html; charset=utf-8').send(networkPage);
  }
}

/** Whose request it is, as far as it tells: by a token or a code that it brings, or by its browser's session. */
async function memberOf(request: FastifyRequest, { store }: Deps): Promise<string | null> {
  const bearer = sentToken(request)?.token;
  if (bearer !== undefined) {
    const claims = claimsOf(bearer) as { readonly sub?: unknown } | null;
    return typeof claims?.sub === 'string' ? claims.sub : null;
  }
  const sent = (name: string) => bodyForm(request)?.get(name)?.[0];
  return store.transaction((tx) => memberBehind(tx, request, sent));
}

async function memberBehind(
  tx: Tx,
  request: FastifyRequest,
  sent: (name: string) => string | undefined,
): Promise<string | null> {
  const { tenant } = request;
  const [code, deviceCode] = [sent('code'), sent('device_code')];
  if (code !== undefined) return (await findAuthorizationCode(tx, tenant.id, sha256(code)))?.memberId ?? null;
  if (deviceCode !== undefined) {
    return (await findDeviceCode(tx, tenant.id, sha256(deviceCode)))?.memberId ?? null;
  }
  const token = readRefreshToken(tenant.tokenKey, sent('refresh_token') ?? sent('token') ?? '');
  if (token !== null) return (await findSignIn(tx, tenant.id, token.signInId))?.memberId ?? null;
  const secret = sessionCookie(request);
  if (secret === undefined) return null;
  return (await findSessionBySecret(tx, tenant.id, 'member', sha256(secret)))?.memberId ?? null;
}
