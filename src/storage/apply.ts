// Turns the core's writes into SQL, each with its event of the audit and those that a business is told of.
import type { WriteOf } from '../core/events/change.ts';
import type { AuditEvent, AuditFacts, Source } from '../core/operators/audit-event.ts';
import { eventOfWrite, meaningOf } from '../core/operators/audited-write.ts';
import type { Rule } from '../core/refusals/rule.ts';
import type { Write } from '../core/write.ts';
import { insertCheckout, moveCheckout } from './access/checkout.ts';
import { insertConsentChange } from './access/consent.ts';
import { insertInvoice } from './access/invoice.ts';
import { insertSeat, moveSeat } from './access/seat.ts';
import { insertSubscription, moveSubscription } from './access/subscription.ts';
import { tellClients } from './clients/logout-notice.ts';
import { insertPushedRequest, takePushedRequest } from './clients/pushed-request.ts';
import { tell } from './events/event.ts';
import { insertAuthorizationCode, moveAuthorizationCode } from './grants/authorization-code.ts';
import { insertDeviceCode, moveDeviceCode } from './grants/device-code.ts';
import { saveScopeConsent } from './grants/scope-consent.ts';
import { insertSession, moveSession } from './grants/session.ts';
import { bindSignIn, endSignIn, insertSignIn, ownerOfSignIn, rotateSignIn } from './grants/sign-in.ts';
import { insertEmailProof, moveEmailProof } from './members/email-proof.ts';
import { insertAuditEvent } from './operators/audit-event.ts';
import { hasActor, sourceIn } from './operators/audited.ts';
import type { Tx } from './store.ts';

/** The actor, where the transaction does not name one yet, and the meaning, where the write does not say it. */
export type By = Partial<Source> &
  Pick<Partial<AuditFacts>, 'event'> & {
    readonly reason?: string | null | undefined;
    /** The rule that refuses, where something is refused. */
    readonly rule?: Rule | undefined;
    /** Whether it is a part of an act that the audit tells of as a whole. */
    readonly isPartOfAct?: true;
  };

/**
 * Turns the core's writes into SQL, in their order, inside the transaction that loaded the records. Each that
 * means an event of the audit writes that beside it, and so does each that clients or a business are told of.
 *
 * @returns those events
 */
export async function apply(tx: Tx, writes: readonly Write[], by: By = {}): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  for (const write of writes) {
    await applyOne(tx, write);
    await tellClients(tx, write);
    // In a store that is not a running service's no one acts.
    if (!hasActor(tx)) continue;
    const change = await changeOf(tx, write);
    const event = by.isPartOfAct === true ? null : eventOf(tx, change, by);
    if (event !== null) {
      await insertAuditEvent(tx, event);
      events.push(event);
    }
    await tell(tx, change);
  }
  return events;
}

/** The write with its owner: the write of a sign-in that ends names nothing but its id. */
async function changeOf(tx: Tx, write: Write): Promise<WriteOf> {
  return write.write === 'endSignIn' ? { ...write, of: await ownerOfSignIn(tx, write.id) } : write;
}

/** null where it means none. */
function eventOf(tx: Tx, change: WriteOf, { event, reason, rule, ...by }: By): AuditEvent | null {
  const meaning = meaningOf(change);
  const source = meaning === null ? null : sourceIn(tx);
  if (source === null || meaning === null) return null;
  const said = {
    ...(event === undefined ? {} : { event }),
    ...(reason === undefined ? {} : { reason }),
    ...(rule === undefined || meaning.result !== 'refused' ? {} : { rule }),
  };
  return eventOfWrite({ ...source, ...by }, { ...meaning, ...said });
}

function applyOne(tx: Tx, write: Write): Promise<void> {
  switch (write.write) {
    case 'insertAuthorizationCode':
      return insertAuthorizationCode(tx, write.code);
    case 'moveAuthorizationCode':
      return moveAuthorizationCode(tx, write);
    case 'insertSignIn':
      return insertSignIn(tx, write.signIn);
    case 'rotateSignIn':
      return rotateSignIn(tx, write);
    case 'bindSignIn':
      return bindSignIn(tx, write);
    case 'endSignIn':
      return endSignIn(tx, write);
    case 'insertDeviceCode':
      return insertDeviceCode(tx, write.code);
    case 'moveDeviceCode':
      return moveDeviceCode(tx, write);
    case 'insertSession':
      return insertSession(tx, write.session);
    case 'moveSession':
      return moveSession(tx, write);
    case 'insertEmailProof':
      return insertEmailProof(tx, write.proof);
    case 'moveEmailProof':
      return moveEmailProof(tx, write);
    case 'saveScopeConsent':
      return saveScopeConsent(tx, write.consent);
    case 'insertPushedRequest':
      return insertPushedRequest(tx, write.request);
    case 'takePushedRequest':
      return takePushedRequest(tx, write.hash);
    case 'insertSubscription':
      return insertSubscription(tx, write.subscription);
    case 'moveSubscription':
      return moveSubscription(tx, write);
    case 'insertSeat':
      return insertSeat(tx, write.seat);
    case 'moveSeat':
      return moveSeat(tx, write);
    case 'insertConsentChange':
      return insertConsentChange(tx, write.change);
    case 'insertCheckout':
      return insertCheckout(tx, write.checkout);
    case 'moveCheckout':
      return moveCheckout(tx, write);
    case 'insertInvoice':
      return insertInvoice(tx, write.invoice);
    default:
      throw new Error(`unknown write ${JSON.stringify(write satisfies never)}`);
  }
}
