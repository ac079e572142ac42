// The pages where a member changes the password, chooses a first one, or takes it away.
import type { FastifyInstance } from 'fastify';
import { passwordProblem } from '../../../core/members/password.ts';
import { usesPassword } from '../../../core/members/ways-in.ts';
import { passwordEstimate } from '../../../operations/member/password-strength.ts';
import { replacePassword } from '../../../operations/recovery/recovery.ts';
import { seenAt } from '../../../operations/session/notice.ts';
import { removePassword } from '../../../operations/sign-in/ways-in.ts';
import { passwordSince } from '../../../storage/members/member.ts';
import type { Tx } from '../../../storage/store.ts';
import { shareOf } from '../../address.ts';
import { setSessionCookie } from '../../cookies.ts';
import { pageForm } from '../../form.ts';
import type { Act } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import { renewSessionHere } from '../../session.ts';
import { dayOf } from '../times.ts';
import { type AccountPage, passwordedPage, redirectDone, type Visit } from './page.ts';

const url = '/account/password';

/** A page about passwords: where members have none there is no such page. */
function onlyWithPassword({ url: at, show, prepared }: AccountPage): AccountPage {
  const where =
    (act: Act<Visit>): Act<Visit> =>
    (tx, visit, next) => {
      const { request, reply, member, language } = visit;
      return usesPassword(request.tenant, member)
        ? act(tx, visit, next)
        : () => sendProblem(reply, 'notFound', { language });
    };
  return {
    url: at,
    show: show && where(show),
    ...(prepared === undefined
      ? {}
      : { prepared: async (request, deps) => where(await prepared(request, deps)) }),
  };
}

/** GET and POST /account/password (pages 18). */
export const passwordPage: AccountPage = onlyWithPassword(
  passwordedPage({
    url,
    async read(request) {
      const { password = '', everywhere } = pageForm(request, ['password', 'everywhere']);
      return { password, everywhere: everywhere !== undefined, guessesTo: await passwordEstimate() };
    },
    view({ request, member }, sent, { hasPassword }) {
      const { passwordLength: least } = request.tenant;
      const data = { email: member.email, least, everywhere: sent?.everywhere ?? true };
      const title = hasPassword ? 'account.password.title' : 'account.password.set';
      // A member with a password types it: the script of passkeys would weigh too much beside that of a new password (pages 2).
      const template = hasPassword ? 'password' : 'passkeys/first-password';
      return { template, title, data };
    },
    check({ request, member, language }, { password, guessesTo }) {
      const { passwordLength: least, name } = request.tenant;
      const { email, fullName } = member;
      const problem = passwordProblem(password, { least, email, names: [fullName, name], guessesTo });
      if (problem === null) return null;
      return { field: 'password', text: language.t(`member.error.password.${problem}`, { least }) };
    },
    async begin({ request, deps }, { password, everywhere }) {
      const passwordHash = await deps.passwords.hash(password, shareOf(request));
      return async (tx, visit) => {
        const { session, member, language } = visit;
        const { place, address } = seenAt(visit, request.address);
        const origin = { sessionId: session.id, place: place ?? address, language: language.tag };
        await replacePassword(tx, request.tenant, member, { passwordHash, everywhere, origin }, deps);
        // The cookie changes with the password: a copy of the old one is worth nothing any more (ASVS 7.2.4).
        const { secret } = await renewSessionHere(tx, request, visit, deps);
        return () => {
          setSessionCookie(visit.reply, secret);
          return redirectDone(visit, '/account/sessions', 'password');
        };
      };
    },
  }),
);

/** GET and POST /account/password/remove: where there is another way in, the password can go. */
export const removePasswordPage: AccountPage = passwordedPage({
  url: `${url}/remove`,
  read: () => null,
  view: () => ({ template: 'passkeys/password', title: 'account.password.remove' }),
  async begin({ request, deps }, _sent, sendForm) {
    const unknowable = await deps.passwords.hash(deps.random.secret(), shareOf(request));
    return async (tx, visit) => {
      const { member, language } = visit;
      const { place, address } = seenAt(visit, request.address);
      const removal = { unknowable, place: place ?? address, language: language.tag };
      const isRemoved = await removePassword(tx, request.tenant, member, removal, deps);
      if (isRemoved) return () => redirectDone(visit, '/account/sessions', 'passwordRemoved');
      const problem = { field: 'top', text: language.t('account.passkeys.last') };
      return () => sendForm(visit, problem);
    };
  },
});

/** Since when the member has the password, in words; null where members have none. */
export async function passwordWords(tx: Tx, { request, member, language }: Visit): Promise<string | null> {
  if (!usesPassword(request.tenant, member)) return null;
  const since = await passwordSince(tx, member);
  if (since === null) return language.t('account.password.none');
  // It is not known for a password that was taken over with its hash.
  if (since === 0) return language.t('account.password.hint');
  return language.t('account.password.since', { date: dayOf(since, language) });
}

/** Where password managers find the page (W3C, A Well-Known URL for Changing Passwords; pages 9). */
export function passwordWellKnown(app: FastifyInstance): void {
  const wellKnown = '/.well-known/change-password';
  app.refuseOthers(app, wellKnown, ['GET', 'HEAD']);
  app.route({
    method: ['GET', 'HEAD'],
    url: wellKnown,
    // Where members have no passwords, it leads to what they sign in with.
    handler: async ({ tenant }, reply) =>
      reply.redirect(tenant.emailCodes === 'instead' ? '/account/sessions' : url, 303),
  });
}
