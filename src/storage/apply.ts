import type { Write } from '../core/decision.ts';
import { insertCheckout, moveCheckout } from './access/checkout.ts';
import { insertConsentChange } from './access/consent.ts';
import { insertInvoice } from './access/invoice.ts';
import { insertSubscription, moveSubscription } from './access/subscription.ts';
import { insertAuthorizationCode, moveAuthorizationCode } from './authorization-code.ts';
import { insertDeviceCode, moveDeviceCode } from './device-code.ts';
import { insertEmailProof, moveEmailProof } from './members/email-proof.ts';
import { saveScopeConsent } from './scope-consent.ts';
import { insertSession, moveSession } from './session.ts';
import { endSignIn, insertSignIn, rotateSignIn } from './sign-in.ts';
import type { Tx } from './store.ts';

/** Turns the core's writes into SQL, in their order, inside the transaction that loaded the records. */
export async function apply(tx: Tx, writes: readonly Write[]): Promise<void> {
  for (const write of writes) await applyOne(tx, write);
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
