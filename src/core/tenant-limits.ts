// What a tenant may set for itself, and what holds where it does not.
import { deletionCoolingOff, signInLimit, wrongUserCodes } from './limits.ts';

/** What holds where a tenant sets nothing of these for itself. */
export const tenantLimits = {
  /** Pending device codes of one client (decision 32; security, F8). */
  pendingDeviceCodes: 1_000,
  /** Device authorizations (security, Defaults). */
  deviceRequestsPerAddressAndMinute: 30,
  deviceRequestsPerAddressAndHour: 600,
  deviceRequestsPerClientAndMinute: 1_000,
  /** Failed grants of one client from one address, and failed client authentications (security, Defaults). */
  failedGrantsPerClientAddressAndMinute: 60,
  failedClientAuthenticationsPerAddressAndMinute: 10,
  /** Wrong user codes of one member, and from one address, in 15 minutes (decision 32). */
  wrongUserCodesPerMember: wrongUserCodes.perMember,
  wrongUserCodesPerAddress: wrongUserCodes.perAddress,
  /** Sign-ups from one address (security, Defaults). */
  signUpsPerAddressAndHour: 20,
  signUpsPerAddressAndDay: 100,
  /** Forgotten passwords asked for from one address. */
  recoveriesPerAddressAndHour: 60,
  /** Codes by mail asked for from one address: many homes, and a whole office, share one. */
  emailCodesPerAddressAndHour: 300,
  /** Failed sign-ins a minute from one address, and of one account before it waits (security, Defaults; A6). */
  failedSignInsPerAddressAndMinute: 30,
  failedSignInsPerAccount: signInLimit.failures,
  /** Registrations of clients from one address and of one tenant, and what an unverified client asks (decision 50). */
  registrationsPerAddressAndHour: 20,
  registrationsPerHour: 200,
  requestsPerUnverifiedClientAddressAndMinute: 60,
  /** Calls of the admin API with one API token, or by one client: 50 a second for a minute. */
  adminCallsPerTokenAndMinute: 3_000,
  deletionCoolingOff,
};

type Always = 'pendingDeviceCodes' | 'deletionCoolingOff';

/** What a tenant may set for itself; null is no limit, which there is of everything but pending codes and times (ms). */
export type TenantLimits = Readonly<
  Record<Always, number> & Record<Exclude<keyof typeof tenantLimits, Always>, number | null>
>;

/** Of a development tenant: everything on a developer's machine comes from one address, so addresses are not limited. */
export const developmentLimits: TenantLimits = {
  ...tenantLimits,
  pendingDeviceCodes: 5_000,
  deviceRequestsPerAddressAndMinute: null,
  deviceRequestsPerAddressAndHour: null,
  deviceRequestsPerClientAndMinute: null,
  failedGrantsPerClientAddressAndMinute: null,
  failedClientAuthenticationsPerAddressAndMinute: null,
  wrongUserCodesPerAddress: null,
  signUpsPerAddressAndHour: null,
  signUpsPerAddressAndDay: null,
  recoveriesPerAddressAndHour: null,
  emailCodesPerAddressAndHour: null,
  failedSignInsPerAddressAndMinute: null,
};
