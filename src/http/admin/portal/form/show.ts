/** The page of a form: what it is about, its fields with what is there now, and what is asked once more. */
import type { FastifyReply } from 'fastify';
import { listPage } from '../../../../core/limits.ts';
import type { Problem } from '../../../../core/problem.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import type { Form } from '../../../form.ts';
import { mayCall } from '../../call.ts';
import { addressFacts, backOf, type Facts, operationNamed, pathFields, pathOf } from '../addresses.ts';
import { submitOf, titleOf } from '../labels.ts';
import { crumbsOf } from '../menu.ts';
import { sendPortalPage, sendPortalProblem } from '../page.ts';
import { factsOf, listIn } from '../show/values.ts';
import { callIfMay, type Visit } from '../visit.ts';
import { sentFields } from './answer.ts';
import { entriesOf, type Offers, valuesOf } from './fields.ts';
import { presentIn } from './present.ts';
import { placeProblems } from './problems.ts';
import { type FormValues, readForm } from './read.ts';

/** The form of an operation, with what is there now. */
export async function showForm(visit: Visit, operation: Operation): Promise<FastifyReply> {
  const known = addressFacts(visit, operation);
  const present = mayCall(visit, operation) ? await presentIn(visit, operation, known) : 'unknown';
  // What is not there cannot be changed either; to another tenant's administrator the two are one (A17).
  if (present === 'unknown') return sendPortalProblem(visit.reply, 'notFound', visit);
  return sendForm(visit, operation, { values: valuesOf(operation, known, present), present });
}

interface FormState {
  readonly values: FormValues;
  readonly problems?: readonly Problem[];
  /** What is there now; null for something new. */
  readonly present: Facts | null;
}

/** Sends the form of an operation with these values, and what is wrong with them. */
export async function sendForm(
  visit: Visit,
  operation: Operation,
  { values, problems = [], present }: FormState,
): Promise<FastifyReply> {
  const known = addressFacts(visit, operation);
  const entries = entriesOf(operation, known, values, await offersFor(visit, operation, known));
  return sendPortalPage(visit.reply, {
    template: 'form',
    title: titleOf(operation, isThere(operation, known)),
    status: problems.length > 0 ? 422 : 200,
    isError: problems.length > 0,
    visit,
    crumbs: crumbsOf(visit, operation, known),
    data: {
      ...aboutForm(visit, operation, known, present),
      entries,
      problems: placeProblems(problems, entries),
      // Of what is there already, every field is there too.
      marksOptional: operation.method !== 'PATCH',
    },
  });
}

/** What every form of an operation shows. */
function aboutForm(visit: Visit, operation: Operation, known: Facts, present: Facts | null) {
  return {
    lead: operation.summary,
    target: targetOf(operation, known),
    named: namesOf(present),
    action: visit.request.url,
    submit: submitOf(operation),
    isGrave: operation.portal?.ends === true,
    warning: warningOf(visit, operation, known),
    back: backOf(visit, operation, known),
  };
}

/** What an administrator should know first whose portal is on the domain of the very tenant. */
function warningOf({ request }: Visit, { portal }: Operation, known: Facts): string | null {
  const { host, id } = request.tenant;
  const isHome = known.tenant === host || known.tenant === id;
  return isHome ? (portal?.homeWarning ?? null) : null;
}

/** Whether an operation is about something that its address names. */
const isThere = (operation: Operation, known: Facts) =>
  pathFields(operation).every((name) => known[name] !== undefined);

/** What people call the thing that a form acts on: a name, and a member's address (pages 21, 22). */
function namesOf(present: Facts | null): { readonly name: string; readonly email: string | null } | null {
  const { fullName, name, email } = present ?? {};
  const called = [fullName, name].find((one) => typeof one === 'string' && one !== '');
  return typeof called === 'string'
    ? { name: called, email: typeof email === 'string' ? email : null }
    : null;
}

/** What a form acts on, in the words of its address. */
function targetOf(operation: Operation, known: Facts): string | null {
  const target =
    operation.portal?.reads === undefined ? undefined : known[pathFields(operation).at(-1) ?? ''];
  return target === undefined ? null : String(target);
}

/** Asks once more, with everything that the form said. */
export async function sendConfirmation(
  visit: Visit,
  operation: Operation,
  form: Form,
): Promise<FastifyReply> {
  const known = addressFacts(visit, operation);
  const present = mayCall(visit, operation) ? await presentIn(visit, operation, known) : 'unknown';
  if (present === 'unknown') return sendPortalProblem(visit.reply, 'notFound', visit);
  return sendPortalPage(visit.reply, {
    template: 'confirm',
    title: `${titleOf(operation, isThere(operation, known))}?`,
    visit,
    crumbs: crumbsOf(visit, operation, known),
    data: {
      ...aboutForm(visit, operation, known, present),
      // A whole file is not read once more.
      said: factsOf(readForm(operation, known, form), operation.input, ['file', 'references']),
      fields: sentFields(form),
    },
  });
}

/** The choices of fields that name something which is in a list. */
async function offersFor(visit: Visit, operation: Operation, known: Facts): Promise<Offers> {
  const offers: Record<string, Offers[string]> = {};
  for (const [field, name] of Object.entries(operation.portal?.choices ?? {})) {
    const list = operationNamed(visit, name);
    const key = list?.portal?.list?.entry?.key;
    if (list === null || key === undefined) continue;
    const answer = await callIfMay(visit, name, { ...pathOf(list, known), limit: listPage.most });
    // Of more than can be offered the id is asked for.
    const isWhole = answer !== null && answer.next === null;
    const entries = isWhole ? listIn(answer, list.output) : null;
    offers[field] = (entries?.items ?? []).map((entry) => ({
      value: String(entry[key]),
      label: `${String(entry.name)} (${String(entry[key])})`,
    }));
  }
  return offers;
}
