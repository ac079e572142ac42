import type { Migration } from 'kysely/migration';
import * as webSignIn from './0001-web-sign-in.ts';
import * as deviceFlow from './0002-device-flow.ts';
import * as members from './0003-members.ts';
import * as access from './0004-access.ts';
import * as operators from './0005-operators.ts';
import * as administration from './0006-administration.ts';
import * as codesByClient from './0007-codes-by-client.ts';
import * as sweeping from './0008-sweeping.ts';
import * as firstDataFolders from './0009-first-data-folders.ts';
import * as fewerIndexEntries from './0010-fewer-index-entries.ts';
import * as codesInTheirOrder from './0011-codes-in-their-order.ts';
import * as whoAskedForAMail from './0012-who-asked-for-a-mail.ts';
import * as wrongCodesAgain from './0013-wrong-codes-again.ts';
import * as listsInPages from './0014-lists-in-pages.ts';
import * as algorithmOfAccessTokens from './0015-algorithm-of-access-tokens.ts';
import * as revocationInDiscovery from './0016-revocation-in-discovery.ts';
import * as unpaidInvoices from './0017-unpaid-invoices.ts';
import * as answersOfATenant from './0018-answers-of-a-tenant.ts';
import * as erasingByAddress from './0019-erasing-by-address.ts';
import * as listsOfOperators from './0020-lists-of-operators.ts';
import * as filler from './0021-filler.ts';
import * as workOfAPassword from './0022-work-of-a-password.ts';
import * as whatChanged from './0023-what-changed.ts';
import * as addressesOfSignIns from './0024-addresses-of-sign-ins.ts';
import * as formerAddresses from './0025-former-addresses.ts';
import * as guessesUnderWay from './0026-guesses-under-way.ts';
import * as readersOfChanges from './0027-readers-of-changes.ts';
import * as versionOfWhatIsRemembered from './0028-version-of-what-is-remembered.ts';
import * as leases from './0030-leases.ts';
import * as whatProcessesShare from './0031-what-processes-share.ts';
import * as textByItsBytes from './0032-text-by-its-bytes.ts';
import * as usedIds from './0033-used-ids.ts';
import * as algorithmsOfSignatures from './0034-algorithms-of-signatures.ts';
import * as pushedRequests from './0035-pushed-requests.ts';
import * as apis from './0036-apis.ts';
import * as signedResponses from './0037-signed-responses.ts';
import * as clientAssertions from './0038-client-assertions.ts';
import * as claimsByName from './0039-claims-by-name.ts';
import * as unverifiedClients from './0040-unverified-clients.ts';
import * as keysOfClients from './0041-keys-of-clients.ts';
import * as requestObjects from './0042-request-objects.ts';
import * as resources from './0043-resources.ts';
import * as logoutNotices from './0044-logout-notices.ts';
import * as introspection from './0045-introspection.ts';
import * as serviceTokens from './0046-service-tokens.ts';
import * as profiles from './0047-profiles.ts';
import * as apisOfUnverifiedClients from './0048-apis-of-unverified-clients.ts';
import * as brand from './0049-brand.ts';
import * as taxAndPaymentOfInvoices from './0050-tax-and-payment-of-invoices.ts';
import * as figures from './0051-figures.ts';
import * as whatAMemberMet from './0052-what-a-member-met.ts';
import * as whatListsCount from './0056-what-lists-count.ts';
import * as strengthOfSessions from './0057-strength-of-sessions.ts';
import * as passkeys from './0058-passkeys.ts';
import * as codesByMail from './0059-codes-by-mail.ts';
import * as accountsOfOtherProviders from './0060-accounts-of-other-providers.ts';
import * as secondFactor from './0061-second-factor.ts';
import * as factorOfDevices from './0062-factor-of-devices.ts';
import * as whyTokensCameBack from './0063-why-tokens-came-back.ts';
import * as events from './0064-events.ts';
import * as movingIn from './0066-moving-in.ts';
import * as whyRequestsWereRefused from './0067-why-requests-were-refused.ts';
import * as webhooks from './0070-webhooks.ts';
import * as streamOfTheAudit from './0071-stream-of-the-audit.ts';
import * as networksOfPackages from './0072-networks-of-packages.ts';
import * as membersByChange from './0073-members-by-change.ts';
import * as seats from './0074-seats.ts';
import * as oldSystems from './0076-old-systems.ts';
import * as attemptsOfWebhooks from './0077-attempts-of-webhooks.ts';
import * as callsDoneOnce from './0079-calls-done-once.ts';
import * as networksOfSeats from './0080-networks-of-seats.ts';
import * as seatsOfInvoices from './0081-seats-of-invoices.ts';
import * as eventsInOrder from './0082-events-in-order.ts';
import * as invitedByImports from './0083-invited-by-imports.ts';
import * as sendingsOfImports from './0084-sendings-of-imports.ts';
import * as baseline from './postgres/0027-baseline.ts';

/** Those that both engines run. One that has landed is frozen: write the next, here. */
const ofBoth: Readonly<Record<string, Migration>> = {
  '0028-version-of-what-is-remembered': versionOfWhatIsRemembered,
  '0030-leases': leases,
  '0031-what-processes-share': whatProcessesShare,
  '0032-text-by-its-bytes': textByItsBytes,
  '0033-used-ids': usedIds,
  '0034-algorithms-of-signatures': algorithmsOfSignatures,
  '0035-pushed-requests': pushedRequests,
  '0036-apis': apis,
  '0037-signed-responses': signedResponses,
  '0038-client-assertions': clientAssertions,
  '0039-claims-by-name': claimsByName,
  '0040-unverified-clients': unverifiedClients,
  '0041-keys-of-clients': keysOfClients,
  '0042-request-objects': requestObjects,
  '0043-resources': resources,
  '0044-logout-notices': logoutNotices,
  '0045-introspection': introspection,
  '0046-service-tokens': serviceTokens,
  '0047-profiles': profiles,
  '0048-apis-of-unverified-clients': apisOfUnverifiedClients,
  '0049-brand': brand,
  '0050-tax-and-payment-of-invoices': taxAndPaymentOfInvoices,
  '0051-figures': figures,
  '0052-what-a-member-met': whatAMemberMet,
  '0056-what-lists-count': whatListsCount,
  '0057-strength-of-sessions': strengthOfSessions,
  '0058-passkeys': passkeys,
  '0059-codes-by-mail': codesByMail,
  '0060-accounts-of-other-providers': accountsOfOtherProviders,
  '0061-second-factor': secondFactor,
  '0062-factor-of-devices': factorOfDevices,
  '0063-why-tokens-came-back': whyTokensCameBack,
  '0064-events': events,
  '0066-moving-in': movingIn,
  '0067-why-requests-were-refused': whyRequestsWereRefused,
  '0070-webhooks': webhooks,
  '0071-stream-of-the-audit': streamOfTheAudit,
  '0072-networks-of-packages': networksOfPackages,
  '0073-members-by-change': membersByChange,
  '0074-seats': seats,
  '0076-old-systems': oldSystems,
  '0077-attempts-of-webhooks': attemptsOfWebhooks,
  '0079-calls-done-once': callsDoneOnce,
  '0080-networks-of-seats': networksOfSeats,
  '0081-seats-of-invoices': seatsOfInvoices,
  '0082-events-in-order': eventsInOrder,
  '0083-invited-by-imports': invitedByImports,
  '0084-sendings-of-imports': sendingsOfImports,
};

/** Every migration by name, in order. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-web-sign-in': webSignIn,
  '0002-device-flow': deviceFlow,
  '0003-members': members,
  '0004-access': access,
  '0005-operators': operators,
  '0006-administration': administration,
  '0007-codes-by-client': codesByClient,
  '0008-sweeping': sweeping,
  '0009-first-data-folders': firstDataFolders,
  '0010-fewer-index-entries': fewerIndexEntries,
  '0011-codes-in-their-order': codesInTheirOrder,
  '0012-who-asked-for-a-mail': whoAskedForAMail,
  '0013-wrong-codes-again': wrongCodesAgain,
  '0014-lists-in-pages': listsInPages,
  '0015-algorithm-of-access-tokens': algorithmOfAccessTokens,
  '0016-revocation-in-discovery': revocationInDiscovery,
  '0017-unpaid-invoices': unpaidInvoices,
  '0018-answers-of-a-tenant': answersOfATenant,
  '0019-erasing-by-address': erasingByAddress,
  '0020-lists-of-operators': listsOfOperators,
  '0021-filler': filler,
  '0022-work-of-a-password': workOfAPassword,
  '0023-what-changed': whatChanged,
  '0024-addresses-of-sign-ins': addressesOfSignIns,
  '0025-former-addresses': formerAddresses,
  '0026-guesses-under-way': guessesUnderWay,
  '0027-readers-of-changes': readersOfChanges,
  ...ofBoth,
};

/** The same for PostgreSQL, which begins with what the first ones came to. */
export const migrationsOfPostgres: Readonly<Record<string, Migration>> = {
  '0027-readers-of-changes': baseline,
  ...ofBoth,
};
