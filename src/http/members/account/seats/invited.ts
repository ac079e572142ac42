// What a visitor is invited to, as the pages to sign in and to sign up say it before they know who it is.
import type { FastifyRequest } from 'fastify';
import { isId } from '../../../../core/id.ts';
import { invitedTo } from '../../../../operations/access/seat-offers.ts';
import { invitationsPath, invitationUrl } from '../../../../operations/access/seats.ts';
import type { Language } from '../../../../text/language.ts';
import { transactionOf } from '../../../audit.ts';
import type { Deps } from '../../../deps.ts';
import { pageQuery } from '../../../form.ts';
import type { Flow } from '../../../oidc/flow.ts';
import { emphasized, type Lead } from '../../../pages/lead.ts';

/** Where the sign-in leads back to from a mail: what is no invitation is left out. */
export function returnToInvitation(request: FastifyRequest): string {
  const { invitation = '' } = pageQuery(request, ['invitation']);
  return isId(invitation) ? invitationUrl({ id: invitation }) : invitationsPath;
}

/**
 * What a flow that leads to an invitation is for: the plan and its holder, to those who come from the mail. A visitor without the link,
 * a guessed one or that of an invitation that is over reads the same as if there were none (GA16). Null of any other flow.
 */
export async function invitationLead(
  request: FastifyRequest,
  { parameters, returnTo }: Flow,
  language: Language,
  deps: Deps,
): Promise<Lead | null> {
  const [path, query = ''] = returnTo.split('?');
  if (parameters !== null || path !== invitationsPath) return null;
  const id = new URLSearchParams(query).get('invitation');
  const { tenant } = request;
  const found =
    id === null
      ? null
      : await transactionOf(request, deps, (tx) => invitedTo(tx, tenant.id, id, deps.clock()));
  if (found === null) return language.t('signIn.leadInvitations');
  const { packageName, through } = found;
  return through === null
    ? emphasized(language, 'signIn.leadSeat', { package: packageName })
    : emphasized(language, 'signIn.leadSeatThrough', { package: packageName }, { through });
}
