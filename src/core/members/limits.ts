/** The numbers of members, their mails and what is shown of a tenant; times as in `core/limits.ts`. */
import { day, hour, minute, second } from '../limits.ts';

/** New passwords: 12 code points or what the tenant sets, never under 8 (security, Defaults). */
export const passwordLength = { default: 12, least: 8, most: 64 } as const;

/**
 * A new password that fewer guesses lead to is refused (security, Defaults). The estimate counts at least 10^8 for any
 * three things in a row, such as a name and two years; four words by chance come to 10^11 and more.
 */
export const passwordGuesses = 1e9;

/** Code points that are estimated: 48 take 4 ms at most, and a hundred of the worst kind would take 100. */
export const passwordEstimated = 48;

/**
 * How long a message that proves an address works: a code to sign in with 10 minutes (SP 800-63B-4 §3.1.3.2), a forgotten
 * password 30, the others a day.
 */
export const emailProofLifetime = {
  sign_in: 10 * minute,
  sign_up: day,
  password_reset: 30 * minute,
  email_change: day,
} as const;

/** Wrong digits of such a message, after which only a new one helps: a chance of 1 in 200,000. */
export const wrongEmailCodes = 5;

/**
 * Digits of an app (RFC 6238 §5.2): those of the step before and after hold too. A thief of the password could try digits day
 * after day, and three in a million are right: so the wait for wrong ones grows to half a day, and a mail tells the member. They
 * are remembered for a week: in that time the longest waits allow as many as a rest and new tries would. What was proven by a first
 * factor waits ten minutes for the second; grave acts of an administrator ask again after five. A tenant lets a browser go without
 * it for 90 days at most.
 */
export const wrongSecondFactors = { failures: 5, longestWait: 12 * hour, memory: 7 * day } as const;
export const totp = { stepSeconds: 30, window: 1, digits: 6, secretBytes: 20 } as const;

/**
 * Recovery codes: ten of fifteen letters, 75 bits each, where 64 are asked for (SP 800-63B-4 §4.2.1.1); a guesser sees no hash of
 * them without the tenant's key. Those of earlier versions have ten letters, and stay good.
 */
export const recoveryCode = { count: 10, length: 15, formerLength: 10, group: 5 } as const;

export const secondFactorWait = 10 * minute;
export const freshFactor = 5 * minute;
export const trustedBrowserDays = { default: 30, most: 90 } as const;

/**
 * Mails to one address in an hour, so that no mailbox is flooded through us: what one browser, one network and all
 * together may ask for. Strangers who use up their own share leave the owner's (F6), and a browser that the owner has
 * signed in with is held to the first alone when it asks for a new password; twenty mails with five tries each are one
 * chance in ten thousand.
 */
export const mailsPerHour = { ofBrowser: 5, ofNetwork: 10, ofAll: 20 } as const;

/**
 * Mails with a link for a password that operators have sent to one address in an hour: counted apart, so that strangers who
 * ask for theirs keep no operator from helping (F6), and no token fills a mailbox (GA17).
 */
export const operatorMailsPerHour = 5;

/**
 * Changes of their own details and language that one member may make in an hour: each is a line of the audit, and is told to
 * all webhooks (EV27).
 */
export const detailChangesPerHour = 60;

/** Names and addresses that members give. */
export const memberTextLength = { fullName: 200, nickName: 100, email: 254, line: 200, label: 60 } as const;

/**
 * A page of the account area shows so many entries of a list, and has less than so many bytes; to find those that are
 * alive, at most so many rows are read at once (security, F10).
 */
export const accountListLength = 20;
/** The first page shows so many of a list. */
export const overviewListLength = 3;
export const accountPageBytes = 60_000;
export const rowsWalked = { at: 50, most: 500 } as const;

/** An operator is told where the last guesses at a member's password came from: this many of them. */
export const guessesShown = 50;

/** The page of a member shows this many content channels; the list of channels has all. */
export const channelsShown = 10;

/** How many subscriptions are looked at for a member’s access: those that run longest (security, F10). */
export const subscriptionsLookedAt = 50;

/**
 * A page of what happened to a member reads so many events, and of those that are alike and follow one another makes
 * one entry.
 */
export const timelineEvents = 200;

/** A tenant's name stands in the header of every page, a client's in the question that a member answers. */
export const brandNameLength = 60;

/**
 * Pictures in their `data:` URIs: so many characters, of these types, and unpacked at most so many pixels wide and high. A
 * client's logo stands on a page itself, which stays under 20 KB (pages 2); the tenant's have addresses of their own.
 */
export const pictureRules = {
  clientLogo: { length: 2_000, pixels: 1_024, types: ['svg+xml', 'png', 'webp'] },
  logo: { length: 8_000, pixels: 1_024, types: ['svg+xml', 'png', 'webp'] },
  favicon: { length: 8_000, pixels: 1_024, types: ['svg+xml', 'png', 'webp'] },
  coverPicture: { length: 64_000, pixels: 3_000, types: ['png', 'webp', 'jpeg'] },
} as const;

export type PictureKind = keyof typeof pictureRules;

/** The sentence on a tenant's cover, and the addresses of its help, terms and privacy. */
export const coverTextLength = 120;
export const linkLength = 500;

/** How long a page waits for a mail before it sends the mail again. */
export const mailAgainAfter = minute;

/** The link of a notice, "it was not me", works this long, and is never longer than this many characters. */
export const noticeLifetime = 30 * day;
export const noticeLength = 500;

/** A mail that could not be sent is tried again after a minute, doubled each time, for two days. */
export const mailRetry = { firstWait: minute, longestWait: 6 * hour, giveUpAfter: 2 * day } as const;

/** Due mails are read from the queue this many at once. */
export const mailBatch = 20;

/** How often each of several processes looks for mails of one that is gone. */
export const mailLook = 10 * second;

/** How long the mail server may take to be reached, to greet, and to be silent in between. */
export const smtpTimeout = { connect: 10 * second, greeting: 10 * second, silence: 30 * second } as const;

/** The development page of mails shows this many, the newest, and looks for a word in so many of them. */
export const outboxShown = 50;
export const outboxSearched = 1_000;

/**
 * Passkeys: so many of a member, so long a name and an id of a credential (in base64url; WebAuthn §4: 1,023 bytes) and a
 * public key (that of RSA with 4,096 bits has 530 bytes).
 */
export const passkeyLimits = { ofMember: 20, name: 60, credentialId: 1_364, publicKey: 1_400 } as const;

/** A challenge is signed within this time (WebAuthn §15.1 recommends 5 to 10 minutes). */
export const challengeLifetime = 10 * minute;

/** A member who has signed in, or proven it once more, no longer ago than this is not asked again who it is. */
export const provenFor = 5 * minute;
