/** The way of a form, from POST to the answer. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { countedKeys } from '../../../../core/limits.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { conflict, OperationRefused } from '../../../../operations/refusal.ts';
import { createAgedMap } from '../../../../storage/memory/aged-map.ts';
import { redirectAfter } from '../../../cookies.ts';
import type { Form } from '../../../form.ts';
import { mayCall } from '../../call.ts';
import {
  addressFacts,
  type Facts,
  landingOf,
  nameOf,
  newRouteOf,
  pathFields,
  pathOf,
  routeOf,
} from '../addresses.ts';
import { singular } from '../labels.ts';
import { sendPortalProblem } from '../page.ts';
import { call, formOf, hasTenant, type Portal, portalPage, type Visit } from '../visit.ts';
import { sendChanges, sendSecret } from './answer.ts';
import { presentIn, presentOf } from './present.ts';
import { readForm } from './read.ts';
import { sendConfirmation, sendForm, showForm } from './show.ts';

/** A form is written longer than the JSON that it stands for. */
const formLength = 3;

/** Registers the pages of an operation that takes a form. */
export function formPages(app: FastifyInstance, portal: Portal, operation: Operation): void {
  const { bodyBytes } = operation;
  const pages = {
    show: (visit: Visit) => showForm(visit, operation),
    submit: (visit: Visit) => submitForm(visit, operation),
    ...(bodyBytes === undefined ? {} : { bodyBytes: bodyBytes * formLength }),
  };
  for (const url of [routeOf(operation), newRouteOf(operation)]) {
    if (url !== null) portalPage(app, portal, url, pages);
  }
}

/** Takes the form: asks once more before something ends, runs the operation, and leads on to what came of it. */
async function submitForm(visit: Visit, operation: Operation): Promise<FastifyReply> {
  const { request, reply, usedForms } = visit;
  const form = request.body as Form;
  const known = addressFacts(visit, operation);
  const said = readForm(operation, known, form);
  if (form.get('confirmed')?.[0] !== 'yes' && isEnding(operation, said)) {
    return sendConfirmation(visit, operation, form);
  }
  const id = formOf(visit) ?? '';
  if (!usedForms.take(id)) return sendPortalProblem(reply, 'again', visit);
  try {
    await refuseIfThere(visit, operation, known, said);
    const answer = await call(visit, operation, { ...pathOf(operation, known), ...said });
    return sendDone(visit, operation, { ...known, ...said }, answer);
  } catch (error) {
    usedForms.giveBack(id);
    if (!(error instanceof OperationRefused)) throw error;
    // What is out of reach stands in the audit already.
    const isInReach = mayCall(visit, operation) && hasTenant(visit, known.tenant);
    const present = isInReach ? await presentIn(visit, operation, known) : 'unknown';
    if (present === 'unknown') return sendPortalProblem(reply, 'notFound', visit);
    return sendForm(visit, operation, { values: form, problems: error.problems, present });
  }
}

/** Whether something ends with these values of the fields. */
function isEnding({ portal }: Operation, said: Facts): boolean {
  return Object.entries(portal?.endsIf ?? {}).some(([name, values]) => values.includes(said[name]));
}

/** Something new is not put in the place of something that is there. @throws OperationRefused */
async function refuseIfThere(visit: Visit, operation: Operation, known: Facts, said: Facts): Promise<void> {
  const name = pathFields(operation).at(-1) ?? '';
  if (known[name] !== undefined || typeof said[name] !== 'string') return;
  const present = await presentOf(visit, operation, { ...known, ...said });
  if (present === null || present === 'unknown') return;
  throw conflict(name, 'taken', { what: singular(nameOf(operation).noun) });
}

function sendDone(
  visit: Visit,
  operation: Operation,
  known: Facts,
  answer: Facts,
): Promise<FastifyReply> | FastifyReply {
  if (operation.portal?.tellsChanges === true) return sendChanges(visit, operation, known, answer);
  const next = landingOf(visit, operation, known, answer);
  if (typeof answer.secret === 'string') return sendSecret(visit, operation, known, answer, next);
  return redirectAfter(visit.reply, next, operation.name);
}

/**
 * Which forms were sent already, so that a second press of a button, or a reload of the page that shows a
 * new secret, does not do it all again (pages 7). It is in memory: a restart forgets, and forms with it.
 */
export interface UsedForms {
  /** Takes a form up; false if it was taken before. */
  take(id: string): boolean;
  /** Gives it back: it was refused, and will be sent again. */
  giveBack(id: string): void;
}

/** @param most how many are remembered; the oldest are forgotten first */
export function createUsedForms(most = countedKeys): UsedForms {
  const used = createAgedMap<true>(most);
  return {
    take(id) {
      if (used.get(id) === true) return false;
      used.set(id, true);
      return true;
    },
    giveBack(id) {
      used.delete(id);
    },
  };
}
