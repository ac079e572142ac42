// Turns the core's writes into SQL, each with its event of the audit.
import type { AuditEvent, AuditFacts, Source } from '../core/operators/audit-event.ts';
import { eventOfWrite, type Meaning, meaningOf } from '../core/operators/audited-write.ts';
import type { Write } from '../core/write.ts';
import { insertCheckout, moveCheckout } from './access/checkout.ts';
import { insertConsentChange } from './access/consent.ts';
import { insertInvoice } from './access/invoice.ts';
import { insertSubscription, moveSubscription } from './access/subscription.ts';
import { tellClients } from './clients/logout-notice.ts';
import { insertPushedRequest, takePushedRequest } from './clients/pushed-request.ts';
import { insertAuthorizationCode, moveAuthorizationCode } from './grants/authorization-code.ts';
import { insertDeviceCode, moveDeviceCode } from './grants/device-code.ts';
import { saveScopeConsent } from './grants/scope-consent.ts';
import { insertSession, moveSession } from './grants/session.ts';
import { bindSignIn, endSignIn, insertSignIn, ownerOfSignIn, rotateSignIn } from './grants/sign-in.ts';
import { insertEmailProof, moveEmailProof } from './members/email-proof.ts';
import { insertAuditEvent } from './operators/audit-event.ts';
import { sourceIn } from './operators/audited.ts';
import type { Tx } from './store.ts';

/** Who does it, where the transaction does not say so yet, and what it means, where the write does not say so. */
export type By = Partial<Source> &
  Pick<Partial<AuditFacts>, 'event'> & { readonly reason?: string | null | undefined };

/**
 * Turns the core's writes into SQL, in their order, inside the transaction that loaded the records. Each that
 * means an event of the audit writes that beside it, and so does each that clients are told of.
 *
 * @returns those events
 */
export async function apply(tx: Tx, writes: readonly Write[], by: By = {}): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  for (const write of writes) {
    await applyOne(tx, write);
    await tellClients(tx, write);
    const event = await eventOf(tx, write, by);
    if (event === null) continue;
    await insertAuditEvent(tx, event);
    events.push(event);
  }
  return events;
}

/** null where a write means no event, and where no actor is named: in a store that is not a running service's. */
async function eventOf(tx: Tx, write: Write, { event, reason, ...by }: By): Promise<AuditEvent | null> {
  const meaning = meaningOf(write);
  const source = meaning === null ? null : sourceIn(tx);
  if (source === null || meaning === null) return null;
  const said = { ...(event === undefined ? {} : { event }), ...(reason === undefined ? {} : { reason }) };
  return eventOfWrite({ ...source, ...by }, { ...meaning, ...(await aboutSignIn(tx, write)), ...said });
}

/** Whose a sign-in is that ends: the write names nothing but its id. */
async function aboutSignIn(tx: Tx, write: Write): Promise<Partial<Meaning>> {
  return write.write === 'endSignIn' ? ownerOfSignIn(tx, write.id) : {};
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
