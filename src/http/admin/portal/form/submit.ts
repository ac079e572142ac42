/** The way of a form, from POST to the answer. */

import type { FastifyReply } from 'fastify';
import { nameOf, pathFields } from '../../../../operations/admin/operation.ts';
import { conflict, OperationRefused } from '../../../../operations/refusal.ts';
import { redirectAfter } from '../../../cookies.ts';
import type { Form } from '../../../form.ts';
import { landingOf, pathOf } from '../addresses.ts';
import { singular } from '../labels.ts';
import { sendPortalProblem } from '../page.ts';
import { call, formOf, hasTenant } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { presentOf, sendChanges, sendConfirmation, sendForm, sendSecret, withPresent } from './form.ts';
import { readForm } from './read.ts';

/** Takes the form: asks once more before something ends, runs the operation, and leads on to what came of it. */
export async function submitForm(visit: OperationVisit): Promise<FastifyReply> {
  const { operation, known, request, reply, usedForms } = visit;
  const form = request.body as Form;
  const said = readForm(visit, form);
  if (form.get('confirmed')?.[0] !== 'yes' && isEnding(visit, said)) return sendConfirmation(visit, form);
  const id = formOf(visit) ?? '';
  if (usedForms.get(id) === true) return sendPortalProblem(reply, 'again', visit);
  usedForms.set(id, true);
  const done = { ...visit, known: { ...known, ...said } };
  try {
    await refuseIfThere(done, visit);
    return sendDone(done, await call(visit, operation, { ...pathOf(operation, known), ...said }));
  } catch (error) {
    // It was refused, and will be sent again.
    usedForms.delete(id);
    if (!(error instanceof OperationRefused)) throw error;
    // What is out of reach stands in the audit already.
    if (!hasTenant(visit, known.tenant)) return sendPortalProblem(reply, 'notFound', visit);
    return withPresent(visit, (present) => sendForm(visit, form, present, error.problems));
  }
}

/** Whether something ends with these values of the fields. */
function isEnding({ operation }: OperationVisit, said: Facts): boolean {
  const { endsIf = {} } = operation.portal ?? {};
  return Object.entries(endsIf).some(([name, values]) => values.includes(said[name]));
}

/** Something new is not put in the place of something that is there. @throws OperationRefused */
async function refuseIfThere(done: OperationVisit, { operation, known }: OperationVisit): Promise<void> {
  const name = pathFields(operation).at(-1) ?? '';
  if (known[name] !== undefined || typeof done.known[name] !== 'string') return;
  const present = await presentOf(done);
  if (present === null || present === 'unknown') return;
  throw conflict(name, 'taken', { what: singular(nameOf(operation).noun) });
}

function sendDone(visit: OperationVisit, answer: Facts): Promise<FastifyReply> | FastifyReply {
  const { operation, reply } = visit;
  if (operation.portal?.tellsChanges === true) return sendChanges(visit, answer);
  const next = landingOf(visit, answer);
  if (typeof answer.secret === 'string') return sendSecret(visit, answer, next);
  return redirectAfter(reply, next, operation.name);
}
