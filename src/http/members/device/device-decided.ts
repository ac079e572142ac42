// The pages after a TV was approved or rejected.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DeviceCode, type DeviceStanding, deviceStanding } from '../../../core/grants/device-code.ts';
import { shownName } from '../../../core/members/details.ts';
import {
  type DecidedDevice,
  findDecidedDevice,
  signOutDevice,
} from '../../../operations/device/decide-device.ts';
import { seenAt } from '../../../operations/session/notice.ts';
import type { Deps } from '../../deps.ts';
import { pageForm, pageQuery } from '../../form.ts';
import { formToken, givenForm } from '../../pages/form-token.ts';
import { enter, type PageDeps } from '../../pages/guarded-page.ts';
import { sendPage } from '../../pages/pages.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { type MemberVisit, memberGuard } from '../member-guard.ts';
import { agoOf } from '../times.ts';

/** What was pressed for which device, and when: the page that follows shows what has become of it. */
interface Pressed {
  readonly codeId: string;
  /** Null where nothing was pressed: the code of a device that was decided on was opened again. */
  readonly verdict: 'approve' | 'reject' | null;
  readonly at: number | null;
}

type End = 'approved' | 'rejected';

const purpose = 'decided';

/** Where a decision leads. It is sealed for this browser, so that an address typed by hand claims nothing. */
export function decidedUrl(
  reply: FastifyReply,
  end: End,
  pressed: Pick<Pressed, 'codeId' | 'verdict'>,
  deps: PageDeps,
): string {
  return urlOf(end, formToken(reply, purpose, deps, { ...pressed, at: deps.clock() }));
}

/** Where a code leads that its member opens again, by the back button or as the TV shows it still (decision 45). */
export function decidedAgain(reply: FastifyReply, code: DeviceCode, deps: PageDeps): string {
  const end = deviceStanding(code, true) === 'rejected' ? 'rejected' : 'approved';
  const pressed: Pressed = { codeId: code.id, verdict: null, at: null };
  return urlOf(end, formToken(reply, purpose, deps, pressed));
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
    app.refuseOthers(app, `/device/${end}`, ['GET']);
    app.get(`/device/${end}`, (_request, reply) => show(reply, end, deps));
  }
  app.refuseOthers(app, '/device/sign-out', ['POST']);
  app.post('/device/sign-out', { onRequest: requireOwnForm }, (_request, reply) => signOut(reply, deps));
}

const guardOf = (deps: Deps, returnTo: string) => memberGuard(deps, () => ({ purpose, returnTo }));

function show(reply: FastifyReply, end: End, deps: Deps) {
  const { decided: sealed = '' } = pageQuery(reply.request, ['decided']);
  const pressed = readPressed(reply.request, sealed);
  if (pressed === null) return reply.redirect('/device', 303);
  return enter(guardOf(deps, urlOf(end, sealed)), reply, async (tx, visit) => {
    const decided = await findDecidedDevice(tx, visit.session, pressed.codeId, deps.clock());
    return () => (decided === null ? reply.redirect('/device', 303) : send(visit, decided, pressed, sealed));
  });
}

function send(visit: MemberVisit, decided: DecidedDevice, pressed: Pressed, sealed: string) {
  const { reply, language, deps } = visit;
  const { code, client, standing } = decided;
  const app = shownName(client.name);
  const name = decided.name ?? app;
  const { place, address } = seenAt(visit, code.ipAddress);
  const page = standing === 'signed-in' ? 'approved' : standing;
  const values = { name, client: app, tenant: reply.request.tenant.name };
  return sendPage(reply, {
    template: `members/device/${page === 'rejected' ? 'rejected' : 'decided'}.eta`,
    language,
    title: `device.${page}.title`,
    titleValues: values,
    data: {
      lead: language.t(`device.${page}.${leadOf(standing, pressed)}`, values),
      name,
      about: [
        code.deviceModel ?? (name === app ? null : app),
        place ?? address,
        pressed.at === null ? null : agoOf(pressed.at, deps.clock(), language),
      ].filter((part) => part !== null),
      isApproved: page === 'approved',
      decided: sealed,
    },
  });
}

/** What the page says first. What was pressed may have come too late: then it says what stands instead. */
function leadOf(standing: DeviceStanding, { verdict }: Pressed): 'already' | 'signedIn' | 'lead' {
  const isRejected = standing === 'rejected';
  if (standing !== 'ended' && verdict === (isRejected ? 'approve' : 'reject')) return 'already';
  return standing === 'signed-in' ? 'signedIn' : 'lead';
}

function signOut(reply: FastifyReply, deps: Deps) {
  const { decided: sealed = '' } = pageForm(reply.request, ['decided']);
  const pressed = readPressed(reply.request, sealed);
  if (pressed === null) return reply.redirect('/account/devices', 303);
  const here = urlOf('approved', sealed);
  return enter(guardOf(deps, here), reply, async (tx, { session }) => {
    const decided = await findDecidedDevice(tx, session, pressed.codeId, deps.clock());
    if (decided !== null) await signOutDevice(tx, decided.code, deps.clock());
    return () => reply.redirect(here, 303);
  });
}

function readPressed(request: FastifyRequest, sealed: string): Pressed | null {
  return (givenForm(request, purpose, sealed)?.carried as Pressed | undefined) ?? null;
}
