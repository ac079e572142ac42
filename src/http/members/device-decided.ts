import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import type { DeviceCode } from '../../core/device-code.ts';
import { type DeviceStanding, deviceStanding } from '../../core/device-verdict.ts';
import { shownName } from '../../core/members/details.ts';
import { signInLives } from '../../core/sign-in.ts';
import { signOutDevice } from '../../operations/account/not-me.ts';
import { seenAt } from '../../operations/session/seen-at.ts';
import { seal, unseal } from '../../secrets/seal.ts';
import { findClient } from '../../storage/client.ts';
import { findDeviceCodeById } from '../../storage/device-code.ts';
import { findSession } from '../../storage/session.ts';
import { findSignIn } from '../../storage/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseOtherMethods } from '../answers.ts';
import { transactionOf } from '../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pageForm, pick, queryOf } from '../form.ts';
import { flowUrl, sealFlow } from '../oidc/flow.ts';
import { requestLanguage } from '../pages/language.ts';
import { sendPage } from '../pages/pages.ts';
import { requireOwnForm } from '../same-origin.ts';
import { type CurrentSession, currentSession } from '../session.ts';

/** What was pressed for which device: the page that follows shows what has become of it. */
export interface Pressed {
  readonly codeId: string;
  readonly verdict: 'approve' | 'reject';
}

type End = 'approved' | 'rejected';

/** Where a decision leads. It is sealed for this browser, so that an address typed by hand claims nothing. */
export function decidedUrl(reply: FastifyReply, end: End, pressed: Pressed, { random }: Deps): string {
  return urlOf(
    end,
    seal(reply.request.tenant.tokenKey, 'decided', ensureBrowserCookie(reply, random), pressed),
  );
}

const urlOf = (end: End, sealed: string) => `/device/${end}?decided=${sealed}`;

/**
 * The pages after a decision. Each shows what is so now, however often and late it is opened (decision 45, pages 20):
 *
 *     GET  /device/approved?decided=…, /device/rejected?decided=…
 *     POST /device/sign-out    takes an approval back
 */
export function decidedPages(app: FastifyInstance, deps: Deps): void {
  for (const end of ['approved', 'rejected'] as const) {
    refuseOtherMethods(app, `/device/${end}`, ['GET']);
    app.get(`/device/${end}`, (request, reply) => {
      const { decided = '' } = pick(queryOf(request) ?? new Map(), ['decided']).values;
      return show(request, reply, end, decided, deps);
    });
  }
  refuseOtherMethods(app, '/device/sign-out', ['POST']);
  app.post('/device/sign-out', { onRequest: requireOwnForm }, (request, reply) =>
    signOut(request, reply, deps),
  );
}

/** A device and what has become of it. */
export interface DecidedDevice {
  readonly code: DeviceCode;
  readonly client: Client;
  readonly standing: DeviceStanding;
}

/** A device that the member of this browser decided on. */
type Decided = CurrentSession & DecidedDevice;

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  end: End,
  sealed: string,
  deps: Deps,
): Promise<FastifyReply> {
  const pressed = readPressed(request, sealed);
  if (pressed === null) return reply.redirect('/device', 303);
  const decided = await transactionOf(request, deps, (tx) => findDecided(tx, request, pressed, deps));
  if (decided === 'signed-out') return sendToSignIn(reply, urlOf(end, sealed), deps);
  if (decided === null) return reply.redirect('/device', 303);
  const { member, code, client, standing } = decided;
  const language = requestLanguage(request, [member.locale]);
  const app = shownName(client.name);
  const name = code.deviceName ?? app;
  const { place, address } = seenAt({ language, deps }, code.ipAddress);
  const facts = [
    ['account.devices.app', name === app ? null : app],
    ['device.approve.model', code.deviceModel],
    ['device.approve.place', place],
    ['device.approve.address', address],
  ] as const;
  const page = standing === 'signed-in' ? 'approved' : standing;
  return sendPage(reply, {
    template: `members/device/${page}.eta`,
    language,
    title: `device.${page}.title`,
    data: {
      name,
      facts: facts.flatMap(([label, value]) => (value ? [{ label: language.t(label), value }] : [])),
      isSignedIn: standing === 'signed-in',
      // What was pressed came too late: the page says what stands, and what can be done about it.
      isOther: pressed.verdict !== (page === 'rejected' ? 'reject' : 'approve'),
      decided: sealed,
    },
  });
}

async function signOut(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { decided: sealed = '' } = pageForm(request, ['decided']);
  const pressed = readPressed(request, sealed);
  if (pressed === null) return reply.redirect('/account/devices', 303);
  const decided = await transactionOf(request, deps, async (tx) => {
    const found = await findDecided(tx, request, pressed, deps);
    if (found !== null && found !== 'signed-out') await signOutDevice(tx, found.code, deps.clock());
    return found;
  });
  if (decided === 'signed-out') return sendToSignIn(reply, urlOf('approved', sealed), deps);
  return reply.redirect(urlOf('approved', sealed), 303);
}

function readPressed(request: FastifyRequest, sealed: string): Pressed | null {
  const unsealed = unseal(request.tenant.tokenKey, 'decided', browserCookie(request), sealed);
  return unsealed.kind === 'opened' ? (unsealed.value as Pressed) : null;
}

/** The device and what has become of it; null where it is forgotten, or another member's. */
async function findDecided(
  tx: Tx,
  request: FastifyRequest,
  { codeId }: Pressed,
  { clock }: Deps,
): Promise<Decided | 'signed-out' | null> {
  const now = clock();
  const { id: tenantId } = request.tenant;
  const current = await currentSession(tx, request, now);
  if (current === null) return 'signed-out';
  const found = await findDecidedDevice(tx, tenantId, codeId, now);
  return found?.code.memberId === current.member.id ? { ...current, ...found } : null;
}

/** A device by its code, and what has become of it; null where it is forgotten. */
export async function findDecidedDevice(
  tx: Tx,
  tenantId: string,
  codeId: string,
  now: number,
): Promise<DecidedDevice | null> {
  const code = await findDeviceCodeById(tx, tenantId, codeId);
  const client = code === null ? null : await findClient(tx, tenantId, code.clientId);
  if (code === null || client === null) return null;
  const signIn = code.signInId === null ? null : await findSignIn(tx, tenantId, code.signInId);
  const session = signIn === null ? null : await findSession(tx, tenantId, signIn.sessionId);
  const lives = signIn !== null && signInLives(signIn, client, session, now);
  return { code, client, standing: deviceStanding(code, lives) };
}

function sendToSignIn(reply: FastifyReply, returnTo: string, deps: Deps): FastifyReply {
  const flow = { startedAt: deps.clock(), parameters: null, returnTo, language: null };
  return reply.redirect(flowUrl('/sign-in', sealFlow(reply, flow, deps)), 303);
}
