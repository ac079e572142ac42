// Every mail, with everything that it can hold.
import type { Mail, MailName } from '../../../src/operations/mail/mail.ts';

/** Each mail with everything it can hold. */
export const fullMails: Readonly<Record<MailName, Pick<Mail, 'values' | 'code'>>> = {
  signInCode: {
    values: { fullName: 'Grace Hopper', client: 'Acme TV', browser: 'Firefox on Linux', place: 'Oslo' },
    code: '123 456',
  },
  signUp: { values: { fullName: 'Grace Hopper' }, code: '123 456' },
  signUpKnown: { values: { fullName: 'Grace Hopper' } },
  signUpKnownToCode: { values: { fullName: 'Grace Hopper' } },
  passwordReset: { values: { fullName: 'Grace Hopper' } },
  invitation: { values: { fullName: 'Grace Hopper' } },
  invitationToCode: { values: { fullName: 'Grace Hopper' } },
  passwordChanged: { values: { fullName: 'Grace Hopper', place: 'Oslo', time: Date.UTC(2026, 2, 4, 5, 6) } },
  passwordRemoved: { values: { fullName: 'Grace Hopper', place: 'Oslo', time: Date.UTC(2026, 2, 4, 5, 6) } },
  passkeyAdded: {
    values: { fullName: 'Grace Hopper', passkey: 'Phone', place: 'Oslo', time: Date.UTC(2026, 2, 4, 5, 6) },
  },
  passkeyRemoved: {
    values: { fullName: 'Grace Hopper', passkey: 'Phone', time: Date.UTC(2026, 2, 4, 5, 6) },
  },
  secondFactorOn: { values: { fullName: 'Grace Hopper', time: Date.UTC(2026, 2, 4, 5, 6) } },
  secondFactorOff: { values: { fullName: 'Grace Hopper', time: Date.UTC(2026, 2, 4, 5, 6) } },
  secondFactorReset: { values: { fullName: 'Grace Hopper', time: Date.UTC(2026, 2, 4, 5, 6) } },
  secondFactorRefused: { values: { fullName: 'Grace Hopper', time: Date.UTC(2026, 2, 4, 5, 6) } },
  recoveryCodeUsed: { values: { fullName: 'Grace Hopper', left: '9', time: Date.UTC(2026, 2, 4, 5, 6) } },
  recoveryCodesRenewed: { values: { fullName: 'Grace Hopper', time: Date.UTC(2026, 2, 4, 5, 6) } },
  emailChange: { values: { fullName: 'Grace Hopper' }, code: '123 456' },
  emailChanged: {
    values: { fullName: 'Grace Hopper', email: 'new@example.test', time: Date.UTC(2026, 2, 4) },
  },
  newTv: {
    values: {
      fullName: 'Grace Hopper',
      client: 'Acme TV',
      device: 'Living room',
      place: 'Oslo',
      time: Date.UTC(2026, 2, 4, 5, 6),
    },
  },
  newBrowser: {
    values: {
      fullName: 'Grace Hopper',
      browser: 'Firefox on Linux',
      place: 'Oslo',
      time: Date.UTC(2026, 2, 4, 5, 6),
    },
  },
  accountUnlinked: {
    values: {
      fullName: 'Grace Hopper',
      linked: 'Google (grace@example.net)',
      time: Date.UTC(2026, 2, 4, 5, 6),
    },
  },
  accountLinked: {
    values: {
      fullName: 'Grace Hopper',
      linked: 'Google (grace@example.com)',
      time: Date.UTC(2026, 2, 4, 5, 6),
    },
  },
  deletionRequested: { values: { fullName: 'Grace Hopper', date: Date.UTC(2026, 2, 4) } },
  deletionCancelled: { values: { fullName: 'Grace Hopper' } },
  seatInvitation: {
    values: {
      from: 'Grace Hopper (grace@example.com)',
      package: 'Gold & Silver',
      date: Date.UTC(2026, 2, 4),
    },
  },
  subscribed: {
    values: {
      fullName: 'Grace Hopper',
      package: 'Gold & Silver',
      price: 'NOK 199.00 per month',
      until: Date.UTC(2026, 3, 4, 5, 6),
    },
  },
  invoice: {
    values: {
      fullName: 'Grace Hopper',
      package: 'Gold & Silver',
      price: 'NOK 199.00 per month',
      until: Date.UTC(2026, 3, 4, 5, 6),
      invoice: '17',
      amount: 'NOK 199.00',
      tax: 'NOK 39.80 (VAT 25% included)',
      due: Date.UTC(2026, 2, 18, 5, 6),
      account: 'NO93 8601 1117 947 (BIC DNBANOKK)',
      payee: 'Acme Ltd',
      reference: 'RF53 17',
      note: 'Storgata 1, VAT 12',
    },
  },
  invoiceReminder: {
    values: {
      fullName: 'Grace Hopper',
      package: 'Gold & Silver',
      invoice: '17',
      amount: 'NOK 199.00',
      tax: 'NOK 39.80 (VAT 25% included)',
      due: Date.UTC(2026, 2, 18, 5, 6),
      account: 'NO93 8601 1117 947 (BIC DNBANOKK)',
      payee: 'Acme Ltd',
      reference: 'RF53 17',
      note: 'Storgata 1, VAT 12',
    },
  },
  webhookOff: {
    values: {
      fullName: 'Grace Hopper',
      webhook: 'CRM & mail',
      answer: 'status 500: out of order',
      waiting: '4711',
      time: Date.UTC(2026, 2, 4, 5, 6),
    },
  },
};
