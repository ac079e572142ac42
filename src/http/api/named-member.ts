// The member API for clients in their own name: they name the member, and act as none (interop 61).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentAccessOf } from '../../core/access/content-access.ts';
import { profileOf } from '../../core/access/profile.ts';
import { refusal } from '../../core/decision.ts';
import { isId } from '../../core/id.ts';
import { type Member, maySignIn } from '../../core/members/member.ts';
import { sightOf } from '../../core/oidc/scope.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { listAccess } from '../../storage/access/content-access.ts';
import { listContentChannels } from '../../storage/access/content-channel.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseOtherMethods, sendRefusal } from '../answers.ts';
import { noteRefusal, transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { type RefusedToken, refusedToken, sendBearerProblem } from '../oidc/bearer.ts';
import { sendingProblem, sentToken } from '../oidc/dpop/bound-token.ts';
import { checkServiceToken, permissionsNow, type ServiceBearer } from '../oidc/token/service-token.ts';
import { contentAccessRoute } from './content-access.ts';
import { profileRoute } from './profile.ts';
import { type ApiRoute, profileUrl } from './route.ts';

/** A route about a member who is named, and what it tells. */
export interface NamedMemberRoute
  extends Pick<
    ApiRoute,
    'method' | 'url' | 'operationId' | 'tag' | 'summary' | 'description' | 'params' | 'answer' | 'refusals'
  > {
  tell(tx: Tx, tenant: OpenTenant, member: Member, now: number): Promise<object>;
}

/** An operator who gives a client `members:read` shows it everything. */
const everything = sightOf(true, '');

const about = {
  method: 'GET',
  tag: 'profile',
  params: {
    type: 'object',
    properties: {
      memberId: {
        type: 'string',
        description: 'A member of the tenant, by id.',
        examples: ['0199a3c4-7d10-7c41-9c2e-5f0b6a4d8e21'],
      },
    },
    required: ['memberId'],
  },
  refusals: [403, 404],
} as const;

const description =
  'For a client in its own name (grant_type=client_credentials) with the permission members:read: the answer that the member’s own client gets. There is none for a member who may not sign in.';

const urlOf = (url: string) => url.replace(profileUrl, '/api/v1/members/:memberId');

/** Every such route, in the order of the document. */
export const namedMemberRoutes: readonly NamedMemberRoute[] = [
  {
    ...about,
    url: urlOf(profileRoute.url),
    operationId: 'getMemberWithActiveSubscriptions',
    summary: 'A member who is named, with the active subscriptions',
    description,
    answer: profileRoute.answer,
    tell: async (tx, _tenant, member, now) =>
      profileOf(member, await listSubscriptions(tx, member.id), everything, now),
  },
  {
    ...about,
    url: urlOf(contentAccessRoute.url),
    operationId: 'getMemberWithContentAccess',
    summary: 'A member who is named, with the content channels',
    description,
    answer: contentAccessRoute.answer,
    tell: async (tx, tenant, member, now) => {
      const channels = await listContentChannels(tx, tenant.id);
      return contentAccessOf(member, channels, await listAccess(tx, member), everything, now);
    },
  },
];

/** Serves one to programs: no origin is let in, since no page of a browser should have such a token. */
export function serveNamedMember(app: FastifyInstance, route: NamedMemberRoute, deps: Deps): void {
  const { url, answer } = route;
  refuseOtherMethods(app, url, ['GET', 'HEAD']);
  app.route({
    method: ['GET', 'HEAD'],
    url,
    schema: { response: { 200: answer } },
    handler: async (request, reply) => {
      const checked = await checkSent(request, reply, deps);
      if (!checked.ok) return sendDenied(reply, checked, null);
      const { bearer } = checked;
      const work = async (tx: Tx) => {
        const now = deps.clock();
        const permissions = await permissionsNow(tx, bearer, deps);
        if (permissions === null) return refusedToken('invalid_token', 'its client gets no such tokens now');
        if (!permissions.includes('members:read')) return lacking;
        const member = await memberOf(tx, bearer.tenant, request.params, now);
        return member === null ? null : { told: await route.tell(tx, bearer.tenant, member, now) };
      };
      const found = await transactionOf(request, deps, work, 'lookUp');
      if (found === null) {
        return sendRefusal(reply, refusal('invalid_request', 'there is no such member'), 404);
      }
      if (!('told' in found)) return sendDenied(reply, found, bearer);
      reply.header('cache-control', 'private, no-store').type('application/json; charset=utf-8');
      return reply.send(found.told);
    },
  });
}

const lacking: RefusedToken = {
  ...refusedToken('insufficient_scope'),
  text: 'the token or its client lacks the permission members:read',
};

/** The token as it was sent: genuine, a client's own, and with the proof that it needs. */
async function checkSent(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<{ readonly ok: true; readonly bearer: ServiceBearer } | RefusedToken> {
  const sent = sentToken(request);
  if (sent === undefined) return { ...refusedToken(null), takesDpop: true };
  const checked = await checkServiceToken(sent.token, deps);
  if (!checked.ok) return checked;
  return (await sendingProblem(request, reply, sent, checked.bearer, deps)) ?? checked;
}

async function memberOf(tx: Tx, { id }: OpenTenant, params: unknown, now: number): Promise<Member | null> {
  const { memberId } = params as { readonly memberId: string };
  // Ids of another form are none, and some texts no database takes.
  const member = isId(memberId) ? await findMember(tx, id, memberId) : null;
  return maySignIn(member, now) ? member : null;
}

/** Says no, and tells the audit whose token it was, once that is known. */
function sendDenied(reply: FastifyReply, denied: RefusedToken, bearer: ServiceBearer | null): FastifyReply {
  if (bearer !== null) {
    const { clientId, tenant } = bearer;
    noteRefusal(reply.request, {
      event: 'api_denied',
      tenantId: tenant.id,
      actorKind: 'client',
      actorId: clientId,
      clientId,
      ...(denied.problem === null ? {} : { rule: denied.problem }),
      reason: denied.reason ?? denied.text ?? '',
    });
  }
  return sendBearerProblem(reply, denied.problem, denied);
}
