import type { FastifyInstance } from 'fastify';
import { chooseLanguage } from '../../language.ts';
import { refuseOtherMethods } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { sealConfirmation } from '../oidc/logout.ts';
import { sendPage } from '../pages.ts';
import { currentSession } from '../session.ts';

/** GET /account: who is signed in here, and the way out. */
export function accountPage(app: FastifyInstance, deps: Deps): void {
  refuseOtherMethods(app, '/account', ['GET']);
  app.get('/account', async (request, reply) => {
    const current = await deps.store.transaction((tx) => currentSession(tx, request, deps.clock()));
    if (current === null) return reply.redirect('/sign-in', 303);
    const { member } = current;
    return sendPage(reply, {
      template: 'members/account.eta',
      language: chooseLanguage([member.locale], request.headers['accept-language']),
      title: 'account.title',
      data: { member, confirm: sealConfirmation(reply, deps) },
    });
  });
}
