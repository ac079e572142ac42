/** The pages of a form: its fields with what is there now, what is asked once more, and what came of it. */
import type { FastifyReply } from 'fastify';
import { isId } from '../../../../core/id.ts';
import { listPage, sessionLife } from '../../../../core/limits.ts';
import type { FieldChange } from '../../../../core/operators/audit-event.ts';
import type { Problem } from '../../../../core/problem.ts';
import { nameOf, type Operation, pathFields } from '../../../../operations/admin/operation.ts';
import { conflict, OperationRefused } from '../../../../operations/refusal.ts';
import { CommitUnanswered } from '../../../../storage/store.ts';
import { say } from '../../../../text/portal.ts';
import type { Form } from '../../../form.ts';
import { noteLimit } from '../../../limit-reached.ts';
import { backOf, operationNamed, pathOf } from '../addresses.ts';
import { partButtons, pressOf } from '../buttons.ts';
import { doneFacts, noticeOf } from '../done.ts';
import { type FieldProblem, sendOperationPage, sendPortalProblem } from '../page.ts';
import { factsOf, listIn } from '../values.ts';
import { call, callIfMay, formOf, hasTenant, proveBefore } from '../visit.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { calledOf, leadOf, partLead, partTitle, singular, submitOf, titleOf } from '../words/labels.ts';
import { type Ending, endingOf, endsForGood, isTyped, wrongName } from './ending.ts';
import { type Offers, type Section, sectionsOf } from './fields.ts';
import { valuesOf } from './filled.ts';
import { sendDone, sentFields } from './outcome.ts';
import { ownFormOf } from './own-forms.ts';
import { ownerOf, presentOf, withPresent } from './present.ts';
import { placeProblems } from './problems.ts';
import { type FormValues, readForm } from './read.ts';

/** The form of an operation, with what is there now. */
export async function showForm(visit: OperationVisit): Promise<FastifyReply> {
  await proveBefore(visit);
  return withPresent(visit, async (present) => {
    const values = valuesOf(visit, present);
    return sendForm(visit, (await ownFormOf(visit)?.begin?.(visit, values)) ?? values, present);
  });
}

/** As long as a session that can send it. */
const longestUsed = sessionLife.admin.absolute;

/**
 * Takes the form: asks for the name of what it ends for good, runs the operation, and leads on to what came of it. What
 * ends by its values alone is asked for on a page of its own, where all that was said is read once more.
 */
export async function submitForm(visit: OperationVisit): Promise<FastifyReply> {
  const { operation, request } = visit;
  const form = request.body as Form;
  const again = ownFormOf(visit)?.again?.(form) ?? null;
  if (again !== null) {
    return withPresent(visit, (present) =>
      sendForm(visit, again.values, present, again.problems, { isWhole: true }),
    );
  }
  const said = readForm(visit, form);
  if (!endsForGood(operation, said)) return carryOut(visit, form, said);
  return withPresent(visit, (present) => {
    const ending = endingOf(visit, present);
    const typed = isTyped(form, ending);
    const isConfirmed = operation.portal?.ends === 'forGood' || form.get('confirmed')?.[0] === 'yes';
    if (typed === true && isConfirmed) return carryOut(visit, form, said);
    const problems = typed === false ? [wrongName(ending)] : [];
    if (operation.portal?.ends === 'forGood') return sendForm(visit, form, present, [], { ofName: problems });
    return sendConfirmation(visit, form, { present, ending, problems });
  });
}

/** Runs the operation, and leads on to what came of it. */
async function carryOut(visit: OperationVisit, form: Form, said: Facts): Promise<FastifyReply> {
  const { operation, known, reply, deps } = visit;
  // A second press of a button, or a reload of the page that shows a new secret, does not do it all again (pages 7).
  const { members } = deps.rateLimiter;
  const key = `form ${formOf(visit)}`;
  if ((await members.take(key, 1, longestUsed)) !== null) return sendPortalProblem(reply, 'again', visit);
  const done = { ...visit, known: { ...known, ...said } };
  let changes: readonly FieldChange[] | null = null;
  const told = (found: readonly FieldChange[] | null) => {
    changes = found;
  };
  try {
    await refuseIfThere(done, visit);
    const answer = await call(visit, operation, { ...pathOf(operation, known), ...said }, told);
    return sendDone(done, answer, doneFacts(visit, answer, said, changes));
  } catch (error) {
    // It was refused, and will be sent again; what may be done is not done again.
    if (!(error instanceof CommitUnanswered)) await members.giveBack(key, longestUsed);
    if (!(error instanceof OperationRefused)) throw error;
    // What is out of reach stands in the audit already.
    if (!hasTenant(visit, known.tenant)) return sendPortalProblem(reply, 'notFound', visit);
    // What is sent too often is not done by pressing again at once.
    if (error.retryAfter !== null) noteLimit(reply.header('retry-after', error.retryAfter), 'mails');
    const status = error.kind === 'limited' ? 429 : 422;
    return withPresent(visit, (present) => sendForm(visit, form, present, error.problems, { status }));
  }
}

/** Something new is not put in the place of something that is there. @throws OperationRefused */
async function refuseIfThere(done: OperationVisit, { operation, known }: OperationVisit): Promise<void> {
  const name = pathFields(operation).at(-1) ?? '';
  if (known[name] !== undefined || typeof done.known[name] !== 'string') return;
  const present = await presentOf(done);
  if (present === null || present === 'unknown') return;
  throw conflict(name, 'taken', { what: singular(nameOf(operation).noun) });
}

/** Shows the form again with what is wrong: what was sent is not read as its fields. */
export function sendFormAgain(
  visit: OperationVisit,
  values: FormValues,
  problems: readonly Problem[],
): Promise<FastifyReply> {
  return withPresent(visit, (present) => sendForm(visit, values, present, problems));
}

interface FormState {
  /** The status of a form that has problems. */
  readonly status?: number;
  /** Whether nothing is folded. */
  readonly isWhole?: boolean;
  /** What is wrong with the name of what it ends. */
  readonly ofName?: readonly FieldProblem[];
}

/** Sends the form of an operation with these values, and what is wrong with them. */
async function sendForm(
  visit: OperationVisit,
  values: FormValues,
  present: Facts | null,
  problems: readonly Problem[] = [],
  { status = 422, isWhole = false, ofName = [] }: FormState = {},
): Promise<FastifyReply> {
  const { operation, part } = visit;
  const own = ownFormOf(visit);
  const sections = fitting(sectionsOf(visit, values, await offersFor(visit), present), operation, present);
  const entries = sections.flatMap((section) => section.entries);
  const placed = [...placeProblems(problems, entries), ...ofName];
  const ending = operation.portal?.ends === 'forGood' ? endingOf(visit, present) : null;
  return sendOperationPage(visit, {
    template: own?.template ?? 'form',
    title:
      own?.title?.(visit) ??
      (part === undefined ? titleOf(operation, isThere(visit)) : partTitle(operation, part)),
    status: placed.length > 0 ? status : 200,
    framesOwn: own?.framesOwn,
    data: {
      ...aboutForm(visit, present, await ownerOf(visit)),
      sections,
      acts: part === undefined || present === null ? null : actsOf(visit, part, present),
      ...(ending?.saysAll === true ? { lead: null } : {}),
      ending,
      notice: placed.length > 0 ? null : noticeOf(visit, part),
      problems: placed,
      // Files travel in parts, which only the forms that have files accept.
      enctype: hasPictures(sections) ? 'multipart/form-data' : null,
      /** Whether what is folded is to be looked through. */
      isWhole,
      ...own?.about?.(visit, values),
      // A thing that is there already has every field.
      marksOptional: operation.method !== 'PATCH',
    },
  });
}

/** What is done beside the form of a group of fields; null where nothing is. */
function actsOf(visit: OperationVisit, part: string, present: Facts) {
  const words = `group.${visit.operation.name}.${part}`;
  const actions = partButtons(visit, part, present);
  return actions.length === 0
    ? null
    : { title: say(`${words}.acts`), lead: say(`${words}.acts.lead`), actions };
}

const hasPictures = (sections: readonly Section[]) =>
  sections.some(({ entries }) => entries.some((entry) => 'picture' in entry && entry.picture !== null));

/** The parts of a form without the fields that are not for a thing as it is. */
function fitting(
  sections: readonly Section[],
  { portal }: Operation,
  present: Facts | null,
): readonly Section[] {
  const unfit = present === null ? [] : (portal?.without?.(present) ?? []);
  if (unfit.length === 0) return sections;
  return sections
    .map((section) => ({ ...section, entries: section.entries.filter(({ name }) => !unfit.includes(name)) }))
    .filter(({ entries }) => entries.length > 0);
}

/** What every form of an operation shows. */
function aboutForm(visit: OperationVisit, present: Facts | null, owner: Facts | null = null) {
  const { operation, known, request, part } = visit;
  const { reads, ends, titledFor = false, homeWarning = null } = operation.portal ?? {};
  const { host, id } = request.tenant;
  // A page of a part is one of its tenant, which stands in the rail.
  const isNamed = reads !== undefined && part === undefined;
  const target = isNamed ? (known[pathFields(operation).at(-1) ?? ''] ?? null) : null;
  const named = part === undefined ? namesOf(present ?? owner) : null;
  return {
    lead: part === undefined ? leadOf(operation) : partLead(operation, part),
    // What it acts on, in the words of its address, and as people call it.
    target,
    named,
    code: named === null || isId(`${target}`) ? null : target,
    isFor: owner !== null || titledFor,
    action: request.url,
    submit: submitOf(operation, isThere(visit)),
    isGrave: ends !== undefined,
    warning: known.tenant === host || known.tenant === id ? homeWarning : null,
    back: backOf(visit),
  };
}

/** Whether an operation is about something that its address names. */
const isThere = ({ operation, known }: OperationVisit) =>
  pathFields(operation).every((name) => known[name] !== undefined);

/** What people call the thing that a form acts on: a name, and a member's address (pages 21, 22). */
function namesOf(present: Facts | null) {
  const name = calledOf(present);
  const { email } = present ?? {};
  return name === null ? null : { name, email: typeof email === 'string' ? email : null };
}

interface Asked {
  readonly present: Facts | null;
  readonly ending: Ending;
  readonly problems: readonly FieldProblem[];
}

/** Asks once more, with everything that the form said. */
function sendConfirmation(
  visit: OperationVisit,
  form: Form,
  { present, ending, problems }: Asked,
): Promise<FastifyReply> {
  const { operation } = visit;
  const said = readForm(visit, form);
  const pressed = pressOf(operation, said, calledOf(present));
  return sendOperationPage(visit, {
    template: 'confirm',
    title: pressed?.asks ?? say('verb.ask', { act: titleOf(operation, isThere(visit)) }),
    status: problems.length > 0 ? 422 : 200,
    data: {
      ...aboutForm(visit, present),
      // Of one button its question says it all.
      ...(pressed === null
        ? {}
        : { lead: null, named: null, target: null, code: null, submit: pressed.label }),
      ending,
      problems,
      // A whole file is not read once more.
      said: pressed === null ? factsOf(said, operation.input, ['file', 'references']) : [],
      fields: sentFields(form),
    },
  });
}

/** The choices of fields that name something which is in a list. */
async function offersFor(visit: OperationVisit): Promise<Offers> {
  const offers: Record<string, Offers[string]> = {};
  for (const [field, name] of Object.entries(visit.operation.portal?.choices ?? {})) {
    const list = operationNamed(visit, name);
    const key = list?.portal?.list?.entry?.key;
    if (list === null || key === undefined) continue;
    const answer = await callIfMay(visit, name, { ...pathOf(list, visit.known), limit: listPage.most });
    // Of more than can be offered the id is asked for.
    const entries = answer?.next === null ? listIn(answer, list.output).items : [];
    offers[field] = entries.map((entry) => ({
      value: String(entry[key]),
      label: `${String(entry.name)} (${String(entry[key])})`,
    }));
  }
  return offers;
}
