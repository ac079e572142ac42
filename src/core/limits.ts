/**
 * Numbers of the service, each named once, with its source; the folders beside this have those of their part. Times are
 * milliseconds unless the name says otherwise; what goes out on the wire in seconds carries `Seconds` in its name.
 */

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Authorization code: valid for 10 minutes (contract, Limits; decision 18). */
export const authorizationCodeLifetime = 10 * minute;

/** Access token: 3,600 s unless the client says otherwise, 14,400 s at most (contract; decision 26). */
export const accessTokenSeconds = { default: 3_600, most: 14_400 } as const;

/** id_token: as long as a default access token. It is read once, at sign-in. */
export const idTokenSeconds = 3_600;

/** Refresh token: 90 days unused, 365 days in all, both settable per client (decision 25). */
export const refreshTokenIdle = 90 * day;
export const refreshTokenAbsolute = 365 * day;

/** Replay window of a client that asked for one: 0 to 30 s (decision 24). */
export const replayWindow = { default: 0, most: 30 * second } as const;

/**
 * What a used refresh token that comes back most likely was, in one place: within `parallel` of the refresh it was sent
 * beside it, within `lost` its answer was lost, which a TV finds when it is switched on again; where its successor had been
 * used, after `late` or so many `generations` it is an old copy.
 */
export const reuseTimes = { parallel: 5 * second, lost: day, late: hour, generations: 3 } as const;

/** Answers with a refresh token that did not leave, which are remembered; each in some 100 bytes. */
export const lostAnswersKept = 10_000;

/** Browser session: 14 days idle, 90 days in all; the portal's 30 minutes and 8 hours (security, Defaults). */
export const sessionLife = {
  member: { idle: 14 * day, absolute: 90 * day },
  admin: { idle: 30 * minute, absolute: 8 * hour },
} as const;

/** The cookie that names a browser lives as long as browsers let cookies live. */
export const browserCookieLifetime = 400 * day;

/** A language that was chosen stays with the browser as long. */
export const languageCookieLifetime = browserCookieLifetime;

/** A session's last use is written at most this often, so that a busy browser costs no commit a click. */
export const sessionTouchInterval = { member: hour, admin: minute } as const;

/** A sign-in page answers for this long; after that it offers to start again (pages 7). */
export const flowLifetime = 12 * hour;

/** Device code: 900 s, polled every 5 s; each slow_down adds 5 s for good (contract, Limits). */
export const deviceCodeLifetime = 15 * minute;
export const pollInterval = 5 * second;
export const slowDownStep = 5 * second;

/** A poll may come this much early, since the network wavers (decision 20). */
export const pollTolerance = second;

/** A device code that was not used is unknown this long after its expiry (decision 22). */
export const deviceCodeMemory = 15 * minute;

/** A user code is not given out again this long after its device code expired (decision 31). */
export const userCodeRest = 30 * minute;

/** device_name and device_model: at most 64 code points (contract, Limits; decision 33). */
export const deviceDescriptionLength = 64;

/** code_verifier: 43 to 128 characters; code_challenge: exactly 43 (RFC 7636 §4.1, §4.2; decision 19). */
export const codeVerifierLength = { least: 43, most: 128 } as const;
export const codeChallengeLength = 43;

/** JSON of others: structures in each other. A list of keys needs four, a tenant's settings few more (RFC 8259 §9). */
export const jsonDepth = 64;

/** A host name, without the dot at its end (RFC 1035 §2.3.4). */
export const hostNameLength = 253;

/** Password: at most 1,024 bytes reach the hash (security, Defaults; A3). */
export const passwordBytes = 1_024;

/** Passwords waiting for a core; beyond that the answer is 503 (security, Defaults; A12). */
export const passwordsWaiting = 50;

/** argon2id: 19,456 KiB, two passes, one lane (security, Defaults). */
export const passwordHash = {
  memoryKib: 19_456,
  passes: 2,
  parallelism: 1,
  saltBytes: 16,
  tagBytes: 32,
} as const;

/**
 * APIs of a tenant (RFC 8707): how many, how long an identifier is, and how many a request names at once; the scopes of
 * one, their names and what members read of them. All of a tenant's are remembered.
 */
export const apiLimits = {
  ofTenant: 100,
  identifier: 250,
  atOnce: 8,
  scopes: 50,
  scopeName: 100,
  scopeDescription: 200,
} as const;

/** Random secrets carry 256 bits (decision 31). */
export const secretBytes = 32;

/** Bodies of more than 16 KiB are refused; headers of more than 32 KiB (security, Defaults). */
export const bodyBytes = 16 * 1_024;
export const headerBytes = 32 * 1_024;

/** A request, and a silent socket, end after this long (security, H14). */
export const requestTimeout = 15 * second;
export const connectionTimeout = 25 * second;

/** A client that takes less than so many bytes of a waiting answer in that time, in ms, loses the connection (security, H14). */
export const slowReader = { time: 15 * second, bytes: 16 * 1_024 } as const;

/**
 * A connection that has so many answers in hand is not read until one of them has left (security, F9). One would do
 * for the answers, but the body of a request whose head was read beside the answer before it must still be read.
 */
export const answersInHand = 2;

/** Bytes of answers that wait to be sent, on all connections: beyond, those that have stood longest are closed (F9). */
export const unsentBytes = 64 * 1_024 ** 2;

/**
 * A socket waits so long for its next request: longer than the 60 s of proxies, so that none sends a request on one
 * that is being closed. Fastify's default, which must not change unnoticed.
 */
export const keepAliveTimeout = 72 * second;

/** How often sockets are checked for those times; Node's own 30 s would double them. */
export const connectionsCheckingInterval = 5 * second;

/** What `Retry-After` says when storage or the password queue is in trouble (decision 16). */
export const retryAfterSeconds = 5;

/** Group commit: at most this many pieces share one commit, and at most so many wait (performance 1). */
export const groupSize = 64;
export const groupQueue = 10_000;

/** Where a commit takes longer to reach the disk, in ms, those who only read do not wait for it (security, F13). */
export const slowSync = 2;

/**
 * For quicker ones the event loop itself waits, which costs less than the thread pool. After one that was slow it does
 * not for so long that slow ones hold it up for no more than this part of the time.
 */
export const heldPart = 0.1;

/** While the log is copied, work that comes waits this long, in ms, before it is tried on what is on the disk. */
export const checkpointPatience = 10;

/** Behind such a commit the next one gathers for this part of its time more. */
export const lingering = 0.1;

/** How long a writer waits for a foreign lock on the file (security, Z10). */
export const busyTimeout = 250;
export const busyRetry = 10;

/** Signing keys: RSA of 2,048 bits or more (security, Defaults). */
export const rsaBits = 2_048;

/** A new signing key is published this long before it signs (security, Defaults). */
export const keyPublishedBefore = day;

/** Discovery and JWKS may be cached for this long. */
export const metadataCacheSeconds = 300;

/** User codes are guessed at most this often in 15 minutes (decision 32). */
export const wrongUserCodes = { window: 15 * minute, perMember: 5, perAddress: 30 } as const;

/** A tenant's wrong entries stay under this number divided by its pending codes: a chance of 1 % (decision 32). */
export const wrongUserCodesOfTenant = 10_000;

/**
 * Beyond that, entries wait this long, one behind another (decision 32); the last no longer than its socket. Six
 * wait in each of two lines, of a network at most two: the one is for browsers that their members have used for a
 * day, which an attacker who begins to guess does not have (promise 7).
 */
export const slowedEntry = 3 * second;
export const slowedEntries = 6;
export const slowedEntriesOfNetwork = 2;
export const browserKnownFor = day;

/** Failed sign-ins of one account: so many, then 1 minute doubling to 15; a day without one forgets (A6). */
export const signInLimit = { failures: 5, firstWait: minute, longestWait: 15 * minute, memory: day } as const;

/** How long an account that is to be deleted can be kept after all, unless the tenant says otherwise. */
export const deletionCoolingOff = 14 * day;

/** Counters of a limiter kept in memory: at most this many keys a window; beyond, the oldest are dropped. */
export const countedKeys = 50_000;

/** Where several processes count together, one that found a limit reached says so by itself for this long (decision 51). */
export const fullKnownFor = second;

/** The windows in which requests are counted. */
export const countingWindow = { minute, hour, day } as const;

/** Access tokens that are remembered as verified, each in some 500 bytes. */
export const verifiedTokens = 10_000;

/** Pending device codes whose last poll is remembered. */
export const pacedCodes = 200_000;

/** A free user code is drawn at most this often before the service says that it is full. */
export const userCodeDraws = 50;

/** A body of JSON that holds a tenant file, escaped, and the pictures it refers to. */
export const fileBodyBytes = 768 * 1_024;

/** A body that holds the pictures of a tenant. */
export const pictureBodyBytes = 112 * 1_024;

/** Wrong tokens of the admin API a minute from one address, wrong set-up links, and wrong links of mails (F1). */
export const wrongSecretsPerMinute = 30;

/** Right ones of those, which are looked at whatever else comes from their address: so many are remembered. */
export const rightSecretsKept = 10_000;

/** The path of a local socket, in bytes: what `sockaddr_un` holds on Linux, and on the BSDs and macOS. */
export const socketPathBytes = { linux: 107, other: 103 } as const;

/** What an event of the audit says of what was acted on, in characters. */
export const auditTextLength = 200;

/** Signing keys sign for 90 days, and stay published until the last token they signed is over (M16). */
export const keyLifetime = 90 * day;
export const keyKeptAfter = accessTokenSeconds.most * second;

/** A client has this many live secrets, so that one can follow the other without a gap. */
export const liveSecrets = 2;

/**
 * A member has so many live sign-ins with a client, unless the client says otherwise: as many as Google gives refresh
 * tokens. One more ends the oldest; of thousands from before, so many at a time (security, F10).
 */
export const signInsPerMember = { default: 100, most: 1_000, bite: 50 } as const;

/** Lists that grow are read in pages of this many entries. */
export const listPage = { default: 50, most: 200 } as const;

/**
 * What part of a client's pending device codes may be taken before its networks share them, before an address
 * without a finished sign-in gets one at a time, and before it gets none (security, F8).
 */
export const pendingCodeParts = { shared: 0.5, oneEach: 0.8, unknown: 0.9 } as const;

/**
 * After a refusal, the holders of pending codes are looked up again after `time` (ms) and no sooner. Where other processes
 * issue codes too, it is looked up at least as often, and a process issues no more between two looks than a part of the
 * client's limit: `few` while less than `low` of it is taken, then `fewer`, which is none of a limit below 5,000. `low` is
 * well below `shared`: a look that ends late hides what was issued while it ran.
 */
export const pendingCodesLook = { time: second, low: 0.3, few: 0.02, fewer: 0.0002 } as const;

/** Pending device codes that a tenant may allow each client: a tenth of all user codes. */
export const pendingDeviceCodesMost = 100_000;

/** An account that is to be deleted is kept for a year at most. */
export const deletionCoolingOffMost = 365 * day;
