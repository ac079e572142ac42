/**
 * What browsers send of passkeys: reads it, and checks what authenticators signed. @simplewebauthn/server knows the formats;
 * it is large, and loaded when the first passkey comes.
 */
import { passkeyLimits } from '../core/members/limits.ts';
import type { Passkey, Signed } from '../core/members/passkey.ts';

type Library = typeof import('@simplewebauthn/server');
type Helpers = typeof import('@simplewebauthn/server/helpers');

let library: Promise<Library & Pick<Helpers, 'decodeAttestationObject'>> | undefined;

/** Loads the library, once. */
const loaded = () => {
  library ??= Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')]).then(
    ([server, { decodeAttestationObject }]) => ({ ...server, decodeAttestationObject }),
  );
  return library;
};

/** ES256, Ed25519 and RS256, by their numbers (RFC 9053 §2, RFC 8812 §2): every authenticator has one of them. */
export const passkeyAlgorithms = [-7, -8, -257] as const;

/** What a browser sends where a passkey signed (§5.2.2), in base64url. */
export interface Assertion {
  readonly credentialId: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** Whose it is, as we told its authenticator; null where it does not know. */
  readonly userHandle: string | null;
  /** What was signed with it. */
  readonly client: ClientData;
}

/** What the browser says of the page that asked (§5.8.1). */
interface ClientData {
  /** As text. */
  readonly challenge: string;
  /** Whether a page of another site had ours in a frame, which none of ours is to be. */
  readonly isFramed: boolean;
}

/** What a browser sends where a passkey was made (§5.2.1). */
export interface Attestation {
  readonly credentialId: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
  readonly client: ClientData;
}

/** The site that asked for a signature. */
export interface RelyingParty {
  /** Of the browser that asked. */
  readonly origin: string;
  /** The RP ID. */
  readonly domain: string;
}

const base64url = /^[A-Za-z0-9_-]+$/;

const isText = (value: unknown, most = Number.POSITIVE_INFINITY): value is string =>
  typeof value === 'string' && value.length <= most && base64url.test(value);

/** What a browser says of the page that asked; null where there is no challenge in it. */
function clientIn(clientDataJSON: string): ClientData | null {
  const { challenge, crossOrigin } = fieldsOf(Buffer.from(clientDataJSON, 'base64url').toString());
  if (!isText(challenge)) return null;
  return { challenge: Buffer.from(challenge, 'base64url').toString(), isFramed: crossOrigin === true };
}

/** The fields of a text that a page's script wrote; none where it is not one. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const read: unknown = JSON.parse(text);
  return typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : {};
}

/** Reads a text of a stranger; null where we do not understand it. */
const readOrNull =
  <Sent>(read: (fields: Readonly<Record<string, unknown>>) => Sent | null) =>
  (text: string): Sent | null => {
    try {
      return read(fieldsOf(text));
    } catch {
      return null;
    }
  };

export const readAssertion = readOrNull((fields): Assertion | null => {
  const { id, clientDataJSON, authenticatorData, signature, userHandle = null } = fields;
  if (!isText(id, passkeyLimits.credentialId) || !isText(clientDataJSON)) return null;
  if (!isText(authenticatorData) || !isText(signature)) return null;
  if (userHandle !== null && !isText(userHandle)) return null;
  const client = clientIn(clientDataJSON);
  if (client === null) return null;
  return { credentialId: id, clientDataJSON, authenticatorData, signature, userHandle, client };
});

export const readAttestation = readOrNull((fields): Attestation | null => {
  const { id, clientDataJSON, attestationObject, transports } = fields;
  if (!isText(id, passkeyLimits.credentialId) || !isText(clientDataJSON) || !isText(attestationObject)) {
    return null;
  }
  const client = clientIn(clientDataJSON);
  if (client === null) return null;
  const known = (Array.isArray(transports) ? transports : []).filter((one) => knownTransports.has(one));
  return { credentialId: id, clientDataJSON, attestationObject, transports: [...new Set(known)], client };
});

const knownTransports: ReadonlySet<unknown> = new Set([
  'ble',
  'cable',
  'hybrid',
  'internal',
  'nfc',
  'smart-card',
  'usb',
]);

/** A member as authenticators know her: by an id that does not tell who she is (§14.6.1). */
export const userHandleOf = (memberId: string): string => Buffer.from(memberId).toString('base64url');

const encoded = (text: string) => Buffer.from(text).toString('base64url');

/** Stands for a passkey that does not exist, so that a check takes as long: no signature is right for it. */
const nowhere: Pick<Passkey, 'publicKey'> = {
  // The point of P-256 that every curve library begins with.
  publicKey: Buffer.from(
    'a5010203262001215820' +
      '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
      '225820' +
      '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
    'hex',
  ).toString('base64url'),
};

/**
 * Checks the signature of a passkey (§7.2): type, challenge, origin, RP ID, that its user was there and was verified, and
 * the signature itself. The counter is judged where it is kept (`usePasskey`).
 *
 * @param passkey null for one that there is not: it takes as long, and is never right
 * @returns what the authenticator said, or in words for the audit what is wrong
 */
export async function checkAssertion(
  sent: Assertion,
  passkey: Pick<Passkey, 'publicKey'> | null,
  { origin, domain }: RelyingParty,
): Promise<Signed | string> {
  const { verifyAuthenticationResponse } = await loaded();
  const { credentialId: id, clientDataJSON, authenticatorData, signature, client } = sent;
  const { publicKey } = passkey ?? nowhere;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: encoded(client.challenge),
      expectedOrigin: origin,
      expectedRPID: domain,
      requireUserVerification: true,
      credential: { id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
    });
    if (passkey === null) return 'no passkey has this id';
    if (client.isFramed) return inFrame;
    if (!verified) return 'the signature is wrong';
    const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    const isSynced = credentialDeviceType === 'multiDevice';
    return { counter: newCounter, isSynced, isBackedUp: credentialBackedUp };
  } catch (error) {
    return passkey === null ? 'no passkey has this id' : wordsOf(error);
  }
}

const inFrame = 'asked for in a frame of another site';

/** A passkey as its authenticator told of it. */
export type Attested = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'isSynced' | 'isBackedUp' | 'transports' | 'aaguid'
>;

/**
 * Checks what an authenticator told of a new passkey (§7.1). We ask for no statement on what made it; where there is one
 * all the same, it is taken from the passkey itself alone, and none by a certificate.
 *
 * @returns the passkey, or in words for the audit what is wrong
 */
export async function checkAttestation(
  sent: Attestation,
  { origin, domain }: RelyingParty,
): Promise<Attested | string> {
  const { verifyRegistrationResponse, decodeAttestationObject } = await loaded();
  const { credentialId: id, clientDataJSON, attestationObject, transports, client } = sent;
  if (client.isFramed) return inFrame;
  try {
    const statement = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'));
    const format = statement.get('fmt');
    const isItsOwn = format === 'packed' && statement.get('attStmt').get('x5c') === undefined;
    if (format !== 'none' && !isItsOwn) return `an attestation that was not asked for: ${String(format)}`;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: encoded(client.challenge),
      expectedOrigin: origin,
      expectedRPID: domain,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    });
    if (!verified || registrationInfo === undefined) return 'the attestation is wrong';
    const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo;
    if (credential.id !== id) return 'another credential than was said';
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    if (publicKey.length > passkeyLimits.publicKey) return 'the public key is too long';
    return {
      credentialId: id,
      publicKey,
      counter: credential.counter,
      isSynced: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
      transports: transports.join(' '),
      aaguid,
    };
  } catch (error) {
    return wordsOf(error);
  }
}

/** What the library says of a response, without what stands in it: a stranger wrote that. */
function wordsOf(error: unknown): string {
  const said = error instanceof Error ? error.message : 'unreadable';
  return said.replaceAll(/"[^"]*"/g, '…').slice(0, 100);
}
