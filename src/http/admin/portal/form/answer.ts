/** What a form answers with a page of its own: a new secret, or the changes of a file. */
import type { FastifyReply } from 'fastify';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { type Change, differs, outcomeOf, summaryOf } from '../../../../operations/tenant-file/change.ts';
import type { Form } from '../../../form.ts';
import { mayCall } from '../../call.ts';
import { addressOf, type Facts, landingOf, operationNamed } from '../addresses.ts';
import { titleOf } from '../labels.ts';
import { crumbsOf } from '../menu.ts';
import { sendPortalPage } from '../page.ts';
import { partsOf } from '../pages/detail.ts';
import { factsOf } from '../show/values.ts';
import type { Visit } from '../visit.ts';

/**
 * A new secret is shown on the answer itself, once: it is in no address, and in nothing that is kept (A18).
 *
 * @param next the page that shows what it is of
 */
export function sendSecret(
  visit: Visit,
  operation: Operation,
  known: Facts,
  { secret, ...others }: Facts,
  next: string,
): Promise<FastifyReply> {
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
export function sendChanges(
  visit: Visit,
  operation: Operation,
  known: Facts,
  answer: Facts,
): Promise<FastifyReply> {
  const changes = (answer.changes ?? []) as readonly Change[];
  const told = changes.map((change) => ({ ...change, note: outcomeOf(change, 'with “Prune”') }));
  const apply = differs(changes) ? operationNamed(visit, operation.portal?.doneBy) : null;
  const action = apply === null || !mayCall(visit, apply) ? null : addressOf(apply, known);
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
      fields: sentFields(visit.request.body as Form),
    },
  });
}

/** Everything that a form said, for another form to say again. */
export function sentFields(form: Form): readonly { readonly name: string; readonly value: string }[] {
  return [...form].flatMap(([name, values]) =>
    name === 'token' ? [] : values.map((value) => ({ name, value })),
  );
}
