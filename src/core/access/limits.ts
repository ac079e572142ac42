/** Every number of access, checkouts and payments, named once (see also `core/limits.ts`). Milliseconds. */
import { day, hour, second } from '../limits.ts';

/** A checkout that was begun stays open this long; a payment that arrives later still counts. */
export const checkoutLifetime = 2 * hour;

/** Checkouts that one member may begin. */
export const checkoutsPerHour = 20;
export const checkoutsPerDay = 100;

/**
 * A checkout that was never completed is deleted this long after its time was over. A payment on a page of a
 * provider may still be reported late, and is honoured until then.
 */
export const checkoutMemory = { settled: day, hosted: 30 * day } as const;

/** Answers to consents that one member may give, in apps and on the account page: each may be kept for good. */
export const consentAnswers = { perMinute: 30, perDay: 200 } as const;

/** The account page shows this many answers of the past, the newest; the file of the member's data has all. */
export const consentHistoryShown = 50;

/** `reference` of a checkout is cut to this many code points (K8). */
export const referenceLength = 500;

/** Where a checkout leads back to; it stands in addresses and headers, which proxies cut at 8 KB. */
export const returnAddressLength = 2_048;

/** Everything that a checkout is opened with, together, in bytes: it is sealed twice, into one address. */
export const checkoutRequestBytes = 4_096;

/** How often one checkout may begin its payment in a minute: a member who goes back and forth. */
export const paymentsPerMinute = 5;

/** How long a payment provider may take to begin a payment. */
export const paymentBeginTimeout = 10 * second;

/** What an operator writes of packages, products, channels and consents, in characters. */
export const packageTextLength = { name: 100, description: 1_000 } as const;

/** How many members one subscription may give access to: the pupils and teachers of a large school. */
export const mostSeats = 10_000;

/** An invitation to a seat can be taken for a fortnight, in which a mail that lies in a folder is found. */
export const seatInvitationLifetime = 14 * day;

/** Addresses that one form invites, and mails that one holder sends: a class at once, and a school within a few days. */
export const seatInvitations = { atOnce: 50, perHour: 100, perDay: 500 } as const;

/** Invitations to one address a day, from all senders together. */
export const seatMailsPerDay = 3;

/** How long the holder may take back that a seat was taken away. */
export const seatUndo = hour;

/** Domains whose addresses may take a seat of one subscription: those of pupils, of teachers and of their parts. */
export const seatDomains = 10;

/** Networks from which a seat of one subscription may be taken: the buildings of a university. */
export const seatNetworks = 50;

/** The seats that their holder is shown at once: with a style sheet in it the page stays under 20 KB, however long the names. */
export const seatsShown = 8;

/** The offers of seats that a member is shown at once. */
export const seatOffersShown = 20;

/** What is over of seats is kept so long, for those who ask why a channel was open. */
export const seatMemory = 30 * day;

/** A text among a subscription's customPropertyValues. */
export const customPropertyLength = 1_000;

/** An invoice is due so many days after it was issued: at once, a fortnight later unless a tenant says otherwise. */
export const invoiceDueDays = { least: 0, most: 365, default: 14 } as const;

/** An account number as a tenant writes it, with spaces; an IBAN has up to 34 characters without them. */
export const invoicingLength = { account: 50 } as const;

/** What a tax is called, in characters. */
export const taxNameLength = 20;

/** The widest range of addresses that something opens for, in bits that all of them begin with: no organisation has more. */
export const widestNetwork = { 4: 8, 6: 19 } as const;

/** The most ranges of addresses that one package opens for. */
export const networksOfPackage = 200;
