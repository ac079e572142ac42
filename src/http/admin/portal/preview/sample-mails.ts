// What previews of a tenant's mails show: each mail to a made-up member.
import { type Mail, type MailName, mailsWithoutLink } from '../../../../operations/mail/mail.ts';
import { sampleMember, sampleTv } from './samples.ts';

const seen = Date.UTC(2_030, 0, 31, 12);
const bought = { package: 'Everything', price: 'NOK 199.00' };
const billed = {
  package: 'Everything',
  invoice: '17',
  amount: 'NOK 199.00',
  due: seen,
  account: 'NO93 8601 1117 947',
  reference: 'RF53 17',
};
const where = { place: 'Oslo', time: seen };

/** What the mails say that say more than a name. */
const mailValues: Readonly<Partial<Record<MailName, Mail['values']>>> = {
  signInCode: { browser: 'Firefox', place: where.place },
  accountUnlinked: { linked: 'Google', time: seen },
  accountLinked: { linked: 'Google', time: seen },
  passwordChanged: where,
  passwordRemoved: where,
  secondFactorOn: { time: where.time },
  secondFactorOff: { time: where.time },
  secondFactorReset: { time: where.time },
  secondFactorRefused: { time: where.time },
  recoveryCodeUsed: { left: '9', time: where.time },
  recoveryCodesRenewed: { time: where.time },
  passkeyAdded: { passkey: 'Phone', ...where },
  passkeyRemoved: { passkey: 'Phone', ...where },
  emailChanged: { email: 'nilsen@example.com', time: seen },
  newTv: { device: sampleTv.name, ...where },
  newBrowser: { browser: 'Firefox', ...where },
  deletionRequested: { date: seen },
  seatInvitation: { from: 'ada@example.com', package: bought.package, date: seen },
  subscribed: { ...bought, until: seen },
  invoice: { ...bought, ...billed },
  invoiceReminder: billed,
  webhookOff: { webhook: 'CRM', answer: 'status 410', waiting: '3', time: where.time },
};

/** The mails that bring a code. */
const coded: ReadonlySet<MailName> = new Set(['signInCode', 'signUp', 'emailChange']);

/** A mail as a preview shows it. */
export const sampleMail = (name: MailName): Omit<Mail, 'language'> => ({
  name,
  to: sampleMember.email,
  values: { fullName: sampleMember.fullName, ...mailValues[name] },
  ...(coded.has(name) ? { code: '417 902' } : {}),
  ...(mailsWithoutLink.has(name) ? {} : { link: 'https://example.com/account' }),
});
