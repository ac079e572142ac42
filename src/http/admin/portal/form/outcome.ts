/** The pages that tell what came of a form. */

import type { FastifyReply } from 'fastify';
import { type Change, differs, outcomeOf, summaryOf } from '../../../../operations/tenant-file/change.ts';
import { say } from '../../../../text/portal.ts';
import { redirectAfter } from '../../../cookies.ts';
import type { Form } from '../../../form.ts';
import { mayCall } from '../../call.ts';
import { addressOf, landingOf, operationNamed } from '../addresses.ts';
import { sendOperationPage } from '../page.ts';
import { partsOf } from '../pages/detail.ts';
import { settingsOf } from '../pages/settings.ts';
import { factsOf } from '../values.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { titleOf } from '../words/labels.ts';
import { typedField } from './ending.ts';

/** Leads on to what came of a form, or shows it where it is shown this once. @param what goes along to the next page */
export function sendDone(
  visit: OperationVisit,
  answer: Facts,
  what: string,
): Promise<FastifyReply> | FastifyReply {
  const { operation, reply } = visit;
  if (operation.portal?.tellsChanges === true) return sendChanges(visit, answer);
  // An operator who sets one thing after another stays on the page of the settings.
  const next = visit.part === undefined ? landingOf(visit, answer) : visit.request.url;
  if (typeof answer.secret === 'string') return sendSecret(visit, answer, next);
  return redirectAfter(reply, next, what);
}

/**
 * A new secret is shown on the answer itself, once: it is in no address, and in nothing that is kept (A18).
 *
 * @param next the page that shows what it is of
 */
async function sendSecret(
  visit: OperationVisit,
  { secret, ...others }: Facts,
  next: string,
): Promise<FastifyReply> {
  const output = visit.operation.output;
  // Its first characters say which one it is.
  const isWords = (name: string) => output.properties?.[name]?.format !== 'picture';
  const names = Object.keys(output.properties ?? {})
    .filter(isWords)
    .slice(0, 3);
  const named = Object.fromEntries(names.map((name) => [name, others[name]]));
  const facts = factsOf(named, output).filter(({ value }) => value.kind !== 'none');
  return sendOperationPage(visit, {
    template: 'secret',
    title: say('secret.title'),
    data: {
      secret,
      next,
      facts,
      // A client that was just made is shown with what to do with it next.
      settings: 'redirectUris' in others ? await settingsOf(visit, others, String(secret)) : [],
    },
  });
}

/** The changes of a file, made or only compared, as the command says them; compared ones can be applied from there. */
function sendChanges(visit: OperationVisit, answer: Facts): Promise<FastifyReply> {
  const { operation, known, request } = visit;
  const changes = (answer.changes ?? []) as readonly Change[];
  const told = changes.map((change) => ({ ...change, note: outcomeOf(change, say('answer.pruned')) }));
  const apply = differs(changes) ? operationNamed(visit, operation.portal?.doneBy) : null;
  return sendOperationPage(visit, {
    template: 'answer',
    title: operation.acts ? say('done.page', { act: titleOf(operation) }) : titleOf(operation),
    data: {
      ...partsOf(visit, { ...answer, changes: told }),
      lead: summaryOf(changes, operation.acts, say('answer.undone')),
      next: landingOf(visit, answer),
      action: apply === null || !mayCall(visit, apply) ? null : addressOf(apply, known),
      fields: sentFields(request.body as Form),
    },
  });
}

/** Everything that a form said, for another form to say again. */
export function sentFields(form: Form): readonly { readonly name: string; readonly value: string }[] {
  return [...form].flatMap(([name, values]) =>
    ['token', 'confirmed', typedField].includes(name) ? [] : values.map((value) => ({ name, value })),
  );
}
