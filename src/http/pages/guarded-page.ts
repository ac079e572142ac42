/**
 * Pages for people who are signed in. Who may open a page is decided in the transaction of what the page reads or does,
 * and what is answered leaves after its commit: a page has no other way to the store (architecture, rule 19; F4).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Tx } from '../../storage/store.ts';
import { refuseOtherMethods } from '../answers.ts';
import { transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { requireOwnFiles, requireOwnForm } from '../same-origin.ts';
import { type CurrentSession, SessionOver } from '../session.ts';
import { formToken, givenForm } from './form-token.ts';

/** What a page may use: everything but the store. */
export type PageDeps = Omit<Deps, 'store'>;

/** A member who was let in, at a page. */
export interface Visit extends CurrentSession {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly deps: PageDeps;
}

/** Sends the answer, after the commit of what it tells of. */
export type Answer = () => Promise<FastifyReply> | FastifyReply;

/**
 * What a page reads or does, in the transaction that lets the visit in. It runs again where a commit failed: what
 * memory counts is counted `once`.
 *
 * @param next goes on in one more transaction, which lets the same session in again: for an answer that waits for
 *   something slow
 */
export type Act<V> = (tx: Tx, visit: V, next: Next<V>) => Promise<Answer> | Answer;

export type Next<V> = (act: Act<V>) => Promise<FastifyReply>;

/** Who may open pages of one kind. */
export interface Guard<V extends Visit> {
  readonly deps: Deps;
  /** The visitor; null where a sign-in comes first, and an answer where something else keeps them out. */
  admit(tx: Tx, reply: FastifyReply): Promise<V | Answer | null>;
  /** Leads to the sign-in, and back from there. */
  signIn(reply: FastifyReply): Promise<FastifyReply> | FastifyReply;
  /** What the forms of a visit are for. They carry the token in their field `token`. */
  purposeOf(visit: V): string;
  /** Answers a form that is not one of this visit's. */
  refuseForm(visit: V): Promise<FastifyReply> | FastifyReply;
  /** Writes down a method that no page serves. */
  readonly noteMethod?: (request: FastifyRequest, url: string) => void;
}

/** A page: GET shows it, POST takes its form, which may ask once more who it is. */
export interface GuardedPage<V extends Visit> {
  readonly url: string;
  readonly show?: Act<V> | undefined;
  readonly submit?: Act<V> | undefined;
  /** What its form does, where that takes something slow to be read, or the store: such as a form that asks once more who it is. */
  readonly prepared?: (request: FastifyRequest, deps: Deps) => Promise<Act<V>>;
  /** The longest form, where that is longer than others. */
  readonly bodyBytes?: number | undefined;
  /** Whether its form may carry files. */
  readonly takesFiles?: boolean | undefined;
}

/** Registers a page; a form must be of this browser and of this very session (U14). */
export function guardedPage<V extends Visit>(app: FastifyInstance, guard: Guard<V>, page: GuardedPage<V>) {
  const { url, show, submit, prepared, bodyBytes, takesFiles = false } = page;
  const takes = submit ?? prepared;
  const served = [...(show === undefined ? [] : ['GET']), ...(takes === undefined ? [] : ['POST'])];
  const { noteMethod } = guard;
  if (noteMethod === undefined) app.refuseOthers(app, url, served);
  else refuseOtherMethods(app, url, served, (request) => noteMethod(request, url));
  if (show !== undefined) app.get(url, (_request, reply) => enter(guard, reply, show));
  if (takes === undefined) return;
  const limit = bodyBytes === undefined ? {} : { bodyLimit: bodyBytes };
  const isOwn = takesFiles ? requireOwnFiles : requireOwnForm;
  // Before the body is read: what a stranger sends is not kept in memory until it is whole (W18).
  const isKnown = async (_request: FastifyRequest, reply: FastifyReply) =>
    (await isLetIn(guard, reply)) ? undefined : guard.signIn(reply);
  const onRequest = bodyBytes === undefined ? isOwn : [isOwn, isKnown];
  app.post(url, { onRequest, ...limit }, async (request, reply) => {
    const act = prepared === undefined ? submit : await prepared(request, guard.deps);
    return enter(guard, reply, (tx, visit, next) => {
      if (act === undefined || visitForm(guard, visit) === null) return () => guard.refuseForm(visit);
      return act(tx, visit, next);
    });
  });
}

/** The form that a visit sends; null if the form is not of this visit. */
export function visitForm<V extends Visit>({ purposeOf }: Pick<Guard<V>, 'purposeOf'>, visit: V) {
  return givenForm(visit.request, purposeOf(visit), pageForm(visit.request, ['token']).token);
}

/** The token of the forms of a visit. */
export function visitToken<V extends Visit>({ purposeOf }: Pick<Guard<V>, 'purposeOf'>, visit: V): string {
  return formToken(visit.reply, purposeOf(visit), visit.deps);
}

/** Whether a visitor is signed in at all: who it is, and who may do what, is decided where it is done. */
const isLetIn = <V extends Visit>(guard: Guard<V>, reply: FastifyReply): Promise<boolean> =>
  transactionOf(reply.request, guard.deps, async (tx) => (await guard.admit(tx, reply)) !== null);

/** Lets a visit in and acts for it, in one transaction. @param as the session that was let in before */
export async function enter<V extends Visit>(
  guard: Guard<V>,
  reply: FastifyReply,
  act: Act<V>,
  as?: CurrentSession['session'],
): Promise<FastifyReply> {
  const answer = await transactionOf(reply.request, guard.deps, async (tx): Promise<Answer> => {
    const visit = await guard.admit(tx, reply);
    if (typeof visit === 'function') return visit;
    if (visit === null || (as !== undefined && as.id !== visit.session.id)) return () => guard.signIn(reply);
    return act(tx, visit, (following) => enter(guard, reply, following, visit.session));
  });
  try {
    return await answer();
  } catch (error) {
    if (error instanceof SessionOver) return guard.signIn(reply);
    throw error;
  }
}
