import type { FastifyReply } from 'fastify';
import { listPage } from '../../../../core/limits.ts';
import type { Problem } from '../../../../core/problem.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { conflict, OperationRefused } from '../../../../operations/refusal.ts';
import { type Change, differs } from '../../../../operations/tenant-file/difference.ts';
import { outcomeOf, summaryOf } from '../../../../operations/tenant-file/words.ts';
import { redirectAfter } from '../../../cookies.ts';
import type { Form } from '../../../form.ts';
import { addressOf, pathFields } from '../addresses.ts';
import { call, callIfMay, callOrNull, type Facts, hasTenant, mayCall, operationNamed } from '../call.ts';
import { crumbsOf } from '../crumbs.ts';
import { entriesOf, type FormValues, type Offers, valuesOf } from '../form/fields.ts';
import { placeProblems } from '../form/problems.ts';
import { readForm } from '../form/read.ts';
import { knownFacts, pathOf } from '../known.ts';
import { graveValues, isEnding, offered } from '../nouns.ts';
import { type FieldProblem, sendPortalPage, sendPortalProblem } from '../page.ts';
import { isBelow, isPage, landingOf } from '../related.ts';
import { factsOf, listIn } from '../show/shown.ts';
import { formOf, type Visit } from '../visit.ts';
import { nameOf, singular, submitOf, titleOf } from '../words.ts';
import { partsOf } from './detail.ts';

/** The form of an operation, with what is there now. */
export async function showForm(visit: Visit, operation: Operation): Promise<FastifyReply> {
  const known = knownFacts(visit, operation);
  const present = mayCall(visit, operation) ? await presentIn(visit, operation, known) : 'unknown';
  // What is not there cannot be changed either; to another tenant's administrator the two are one (A17).
  if (present === 'unknown') return sendPortalProblem(visit.reply, 'notFound', visit);
  return sendForm(visit, operation, { values: valuesOf(operation, known, present), present });
}

/** Takes the form: asks once more before something ends, runs the operation, and leads on to what came of it. */
export async function submitForm(visit: Visit, operation: Operation): Promise<FastifyReply> {
  const { request, reply, usedForms } = visit;
  const form = request.body as Form;
  const known = knownFacts(visit, operation);
  const said = readForm(operation, known, form);
  if (!isConfirmed(form) && isGrave(said)) return sendConfirmation(visit, operation, form);
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

/** What is there before it is changed, on a tenant that this administrator has. */
async function presentIn(
  visit: Visit,
  operation: Operation,
  known: Facts,
): Promise<Facts | null | 'unknown'> {
  if (known.tenant === undefined) return presentOf(visit, operation, known);
  const read = operationNamed(visit, 'tenants.read');
  const tenant = read === null ? null : await callOrNull(visit, read, { tenant: known.tenant });
  return tenant === null ? 'unknown' : presentOf(visit, operation, known);
}

/**
 * What is there before it is changed: what the page of the same address reads, or the entry of a list.
 *
 * @returns null for something new; `unknown` if there is a page for it and it shows nothing
 */
async function presentOf(
  visit: Visit,
  operation: Operation,
  known: Facts,
): Promise<Facts | null | 'unknown'> {
  const { noun } = nameOf(operation);
  const name = pathFields(operation).at(-1) ?? '';
  if (known[name] === undefined || (name === 'tenant' && noun !== 'tenants')) return null;
  if (operation.made !== undefined) return (await isAbove(visit, operation, known)) ? null : 'unknown';
  const pages = visit.operations.filter(
    (page) => isPage(page) && pathFields(page).every((field) => known[field] !== undefined),
  );
  const read = operationNamed(visit, `${noun}.read`);
  if (read !== null && pathFields(read).every((field) => known[field] !== undefined)) {
    return (await callIfMay(visit, read.name, pathOf(read, known))) ?? 'unknown';
  }
  for (const page of pages.filter((one) => nameOf(one).noun === noun)) {
    // A list of pages is asked for the one entry.
    const only = name in page.input.properties ? { [name]: known[name] } : {};
    const answer = await callIfMay(visit, page.name, { ...pathOf(page, known), ...only });
    const entries = answer === null ? null : listIn(answer, page.output);
    const entry = entries?.items.find((one) => String(one[name] ?? one.id) === String(known[name]));
    if (entry !== undefined) return entry;
    // A list of pages need not have it on the first; a whole one has.
    const isWhole = answer?.next === undefined || name in only;
    if (entries !== null && entries !== undefined && isWhole) return 'unknown';
  }
  return null;
}

/** Whether there is the thing below which something new is made. */
async function isAbove(visit: Visit, operation: Operation, known: Facts): Promise<boolean> {
  const pages = visit.operations.filter((page) => isPage(page) && isBelow(operation, page));
  const above = pages.toSorted((a, b) => b.path.length - a.path.length)[0];
  return above === undefined || (await callIfMay(visit, above.name, pathOf(above, known))) !== null;
}

/** Something new is not put in the place of something that is there. @throws OperationRefused */
async function refuseIfThere(visit: Visit, operation: Operation, known: Facts, said: Facts): Promise<void> {
  const name = pathFields(operation).at(-1) ?? '';
  if (known[name] !== undefined || typeof said[name] !== 'string') return;
  const present = await presentOf(visit, operation, { ...known, ...said });
  if (present === null || present === 'unknown') return;
  const { noun } = nameOf(operation);
  throw conflict(name, 'taken', { what: singular(noun) });
}

interface FormState {
  readonly values: FormValues;
  readonly problems?: readonly Problem[];
  /** What is there now; null for something new. */
  readonly present: Facts | null;
}

async function sendForm(
  visit: Visit,
  operation: Operation,
  { values, problems = [], present }: FormState,
): Promise<FastifyReply> {
  const known = knownFacts(visit, operation);
  const entries = entriesOf(operation, known, values, await offersFor(visit, operation, known));
  const placed: readonly FieldProblem[] = placeProblems(problems, entries);
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
      problems: placed,
      // Of what is there already, every field is there too.
      marksOptional: operation.method !== 'PATCH',
    },
  });
}

/** What every form of an operation shows. */
function aboutForm(visit: Visit, operation: Operation, known: Facts, present: Facts | null) {
  const { verb } = nameOf(operation);
  return {
    lead: operation.summary,
    target: targetOf(operation, known),
    named: namesOf(present),
    action: visit.request.url,
    submit: submitOf(operation),
    isGrave: isEnding(verb),
    warning: warningOf(visit, operation, known),
    back: landingOf(visit, { ...operation, method: 'GET' }, known, {}),
  };
}

/** What whoever is about to do something should know first. */
function warningOf({ request }: Visit, operation: Operation, known: Facts): string | null {
  const { host, id } = request.tenant;
  const isHome = known.tenant === host || known.tenant === id;
  if (operation.name !== 'tenants.disable' || !isHome) return null;
  return 'You are on the domain of this tenant: its portal closes with it, and the command alone can enable it.';
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
  const names = pathFields(operation).filter((name) => known[name] !== undefined);
  const [last] = names.slice(-1);
  return last === undefined || (last === 'tenant' && nameOf(operation).noun !== 'tenants')
    ? null
    : String(known[last]);
}

/** Asks once more, with everything that the form said. */
async function sendConfirmation(visit: Visit, operation: Operation, form: Form): Promise<FastifyReply> {
  const known = knownFacts(visit, operation);
  const present = mayCall(visit, operation) ? await presentIn(visit, operation, known) : 'unknown';
  if (present === 'unknown') return sendPortalProblem(visit.reply, 'notFound', visit);
  const fields = [...form].filter(([name]) => name !== 'token');
  return sendPortalPage(visit.reply, {
    template: 'confirm',
    title: `${titleOf(operation, isThere(operation, known))}?`,
    visit,
    crumbs: crumbsOf(visit, operation, known),
    data: {
      ...aboutForm(visit, operation, known, present),
      // A whole file is not read once more.
      said: factsOf(readForm(operation, known, form), operation.input, ['file', 'references']),
      fields: fields.flatMap(([name, values]) => values.map((value) => ({ name, value }))),
    },
  });
}

const isConfirmed = (form: Form) => form.get('confirmed')?.[0] === 'yes';

const isGrave = (said: Facts) =>
  Object.entries(said).some(([name, value]) => graveValues[name]?.includes(value) === true);

/** A new secret is shown on the answer itself, once: it is in no address, and in nothing that is kept (A18). */
function sendDone(
  visit: Visit,
  operation: Operation,
  known: Facts,
  answer: Facts,
): Promise<FastifyReply> | FastifyReply {
  const next = landingOf(visit, operation, known, answer);
  if (!operation.acts || operation.bodyBytes !== undefined)
    return sendAnswer(visit, operation, known, answer);
  if (typeof answer.secret !== 'string') {
    return redirectAfter(visit.reply, next, operation.name);
  }
  const { secret, ...others } = answer;
  // The first few say which it is.
  const { properties = {} } = operation.output as { readonly properties?: Facts };
  const names = Object.keys(properties).slice(0, 4);
  const named = Object.fromEntries(names.map((name) => [name, others[name]]));
  return sendPortalPage(visit.reply, {
    template: 'secret',
    title: 'Keep this secret now',
    visit,
    crumbs: crumbsOf(visit, operation, known),
    data: {
      secret,
      next,
      facts: factsOf(named, operation.output).filter(({ value }) => value.kind !== 'none'),
    },
  });
}

/** What a file would change, or has changed, as the command says it; what was compared can be applied from there. */
function sendAnswer(visit: Visit, operation: Operation, known: Facts, answer: Facts): Promise<FastifyReply> {
  const { noun } = nameOf(operation);
  const changes = (answer.changes ?? []) as readonly Change[];
  const told = changes.map((change) => ({ ...change, note: outcomeOf(change, 'with “Prune”') }));
  const canApply = !operation.acts && differs(changes);
  const apply = canApply ? operationNamed(visit, `${noun}.apply`) : null;
  const action = apply === null || !mayCall(visit, apply) ? null : addressOf(apply, known);
  const form = [...(visit.request.body as Form)].filter(([name]) => name !== 'token');
  return sendPortalPage(visit.reply, {
    template: 'answer',
    title: operation.acts ? `${titleOf(operation)}: done` : titleOf(operation),
    visit,
    crumbs: crumbsOf(visit, operation, known),
    data: {
      ...partsOf(visit, operation, known, { ...answer, changes: told }),
      lead: summaryOf(changes, operation.acts, 'Nothing is changed yet.'),
      next: landingOf(visit, operation, known, answer),
      action,
      fields: form.flatMap(([name, values]) => values.map((value) => ({ name, value }))),
    },
  });
}

/** The choices of fields that name something which is in a list. */
async function offersFor(visit: Visit, operation: Operation, known: Facts): Promise<Offers> {
  const offers: Record<string, Offers[string]> = {};
  for (const name of Object.keys(operation.input.properties)) {
    const source = offered[name];
    const list = source === undefined ? null : operationNamed(visit, source.list);
    if (source === undefined || list === null) continue;
    const answer = await callIfMay(visit, list.name, { ...pathOf(list, known), limit: listPage.most });
    // Of more than can be offered the id is asked for.
    const isWhole = answer !== null && answer.next === null;
    const entries = isWhole ? listIn(answer, list.output) : null;
    offers[name] = (entries?.items ?? []).map((entry) => ({
      value: String(entry[source.value]),
      label: `${String(entry[source.label])} (${String(entry[source.value])})`,
    }));
  }
  return offers;
}
