// Signs members of development tenants in by a click.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { shownName } from '../../../core/members/details.ts';
import { someOf, text } from '../../../operations/json-schema.ts';
import type { Proven } from '../../../operations/sign-in/enter.ts';
import { protocolError } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { pageQuery } from '../../form.ts';
import { answerSignedIn, setSignedIn, signInTo } from '../../members/flow-page.ts';
import {
  languageOf,
  type OpenedFlow,
  openFlow,
  ownFlow,
  sealFlow,
  sendStale,
  stepOf,
} from '../../oidc/flow.ts';
import { sendPage } from '../../pages/pages.ts';
import { type Deed, deed, keepOut, roomUrl } from '../deeds.ts';
import { standingOf } from '../guard.ts';
import { enterChosen, findChosen, membersToChoose, toldMember } from './chosen.ts';

const membersUrl = `${roomUrl}/members`;

/** Where the sign-in page leads those who may use the room; null for all others. @param sealed the flow */
export const membersPageFor = (request: FastifyRequest, sealed: string): string | null =>
  standingOf(request) === 'ours' ? `${membersUrl}?flow=${sealed}` : null;

/** The flow that is sent along; one of our own where none is. */
function flowIn(request: FastifyRequest, sealed: string | undefined, deps: Deps): OpenedFlow {
  if (sealed === undefined) return { kind: 'flow', flow: ownFlow('/account', deps) };
  return openFlow(request, sealed, deps.clock());
}

/** POST /rehearsal/sign-in: a session in this browser; and the way on, where a flow of the sign-in page is sent along. */
export const signInDeed = (deps: Deps): Deed =>
  deed({
    method: 'POST',
    path: '/sign-in',
    fields: {
      ...someOf('Who signs in', {
        member: text('The email address of the member', 'ada@example.com'),
        flow: text('The flow of a sign-in page, which goes on then'),
      }),
      required: ['member'],
    },
    async run({ member: email = '', flow: sealed }, request, reply) {
      const opened = flowIn(request, sealed, deps);
      if (opened.kind === 'none') throw protocolError('invalid_request', 'flow is none of this browser');
      const { kind, flow } = opened;
      if (kind === 'stale') return sendStale(reply, flow);
      const step = await stepOf(request, flow);
      const { member, signedIn } = await transactionOf(request, deps, async (tx) => {
        const found = await findChosen(tx, request.tenant.id, email, deps.clock());
        const enter = (proven: Proven) => signInTo(tx, request, { flow, step }, proven, deps);
        return { member: found.member, signedIn: await enterChosen(found, enter) };
      });
      if (sealed !== undefined) return answerSignedIn(reply, signedIn, deps);
      setSignedIn(reply, signedIn);
      return { member: toldMember(member) };
    },
  });

/** GET /rehearsal/members?flow=…: a button for each member, which signs in as that one. */
export function membersPage(app: FastifyInstance, deps: Deps): void {
  app.refuseOthers(app, membersUrl, ['GET'], keepOut);
  app.get(membersUrl, async (request, reply) => {
    const { flow: sealed } = pageQuery(request, ['flow']);
    const opened = flowIn(request, sealed, deps);
    const flow = opened.kind === 'none' ? ownFlow('/account', deps) : opened.flow;
    if (opened.kind === 'stale') return sendStale(reply, flow);
    const now = deps.clock();
    const members = await transactionOf(request, deps, (tx) => membersToChoose(tx, request.tenant.id, now));
    return sendPage(reply, {
      template: 'rehearsal/members.eta',
      language: languageOf(request, flow),
      title: 'rehearsal.members.title',
      data: {
        flow: sealFlow(reply, flow, deps),
        members: members.map(({ email, fullName }) => ({ email, name: shownName(fullName) })),
      },
    });
  });
}
