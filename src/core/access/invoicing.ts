// How a tenant's invoices are paid: the account, the time, and the reference that tells the bank which one it was.
import { type Problem, problem } from '../problem.ts';
import { invoiceDueDays, invoicingLength } from './limits.ts';
import { textProblems } from './package.ts';

/** Where an invoice is paid to, as it says it. */
export interface PayTo {
  /** The owner of the account; empty if it is the sender. */
  readonly payee: string;
  /** An IBAN, or an account number as the country writes it; null where the invoice names none. */
  readonly account: string | null;
  readonly bic: string | null;
  /** Other lines of the invoice: the sender, with its number at the tax office. */
  readonly note: string;
}

/** What a tenant sets for its invoices. */
export interface Invoicing extends PayTo {
  /** An invoice is due so many days after it was issued. */
  readonly dueDays: number;
}

/** What a tenant has before it sets anything. */
export const invoicingDefaults: Invoicing = {
  payee: '',
  account: null,
  bic: null,
  note: '',
  dueDays: invoiceDueDays.default,
};

/** Everything that is wrong with what a tenant sets for its invoices; empty if nothing is. */
export function invoicingProblems({ payee, account, bic, note, dueDays }: Invoicing): readonly Problem[] {
  const { least, most } = invoiceDueDays;
  const isWhole = Number.isSafeInteger(dueDays) && dueDays >= least && dueDays <= most;
  return [
    ...textProblems({ name: payee, description: note }).map(({ path: [field], ...found }) => ({
      ...found,
      path: [field === 'name' ? 'payee' : 'note'],
    })),
    account !== null && !isAccount(account) && problem('account', accountProblem(account)),
    bic !== null && !/^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(bic) && problem('bic', 'not_a_bic'),
    !isWhole && problem('dueDays', 'out_of_range', { least, most }),
  ].filter((found) => found !== false);
}

/** Two letters and two digits begin an IBAN (ISO 13616), so its check digits must be right. */
const looksLikeIban = (account: string) => /^[A-Za-z]{2}\d{2}/.test(compact(account));
const accountProblem = (account: string) => (looksLikeIban(account) ? 'not_an_iban' : 'not_an_account');

function isAccount(account: string): boolean {
  if (account.length > invoicingLength.account) return false;
  if (!looksLikeIban(account)) return /^\d(?:[ ./-]?\d){4,}$/.test(account);
  const iban = compact(account);
  return /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) && remainder(iban) === 1;
}

/** An account as people read it: an IBAN in groups of four, any other as it was written. */
export function showAccount(account: string): string {
  return looksLikeIban(account) ? inGroups(compact(account)) : account;
}

/** The reference with which an invoice is paid (ISO 11649): its number, behind check digits that find a slip. */
export function paymentReference(number: number | string): string {
  const digits = 98 - remainder(`RF00${number}`);
  return `RF${String(digits).padStart(2, '0')}${number}`;
}

/** A reference or an IBAN in groups of four, as both standards print them. */
export const inGroups = (text: string) => text.replaceAll(/.{4}(?=.)/g, '$& ');

const compact = (text: string) => text.replaceAll(' ', '');

/** Modulo 97 of a text with its first four characters at its end, where A is 10 and Z is 35 (ISO 7064, MOD 97-10). */
function remainder(text: string): number {
  const digits = [...`${text.slice(4)}${text.slice(0, 4)}`].map((one) => Number.parseInt(one, 36)).join('');
  return Number(BigInt(digits) % 97n);
}
