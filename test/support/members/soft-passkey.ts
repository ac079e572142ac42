// A passkey made of a key of this process: it signs whatever a test wants it to say.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { userHandleOf } from '../../../src/secrets/passkey.ts';
import { findMemberAnywhere } from '../../../src/storage/members/member.ts';
import { insertPasskey } from '../../../src/storage/members/passkey.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';

/** What a passkey says that is not as it should be. */
export interface Said {
  readonly challenge: string;
  readonly origin: string;
  readonly domain: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  /** UP 1, UV 4, BE 8, BS 16, AT 64; present and verified unless said otherwise. */
  readonly flags?: number;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly format?: string;
  readonly algorithm?: number;
}

export interface SoftPasskey {
  readonly id: string;
  /** COSE_Key in base64url. */
  readonly publicKey: string;
  /** As the script of a page sends a new one. */
  made(said: Said): string;
  /** As it sends a signature. */
  signed(said: Said): string;
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

/** Numbers, texts, bytes and maps, each shorter than 65,536 (RFC 8949 §3). */
function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function coseKey(key: KeyObject, algorithm: number): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const [px, py] = [x, y].map((part) => Buffer.from(part, 'base64url'));
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, algorithm],
      [-1, 1],
      [-2, px ?? Buffer.alloc(0)],
      [-3, py ?? Buffer.alloc(0)],
    ]),
  );
}

/** What the script of a page reads; the member, where a passkey is to be made. */
export interface Asked {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

export function askedIn({ text }: Pick<Answer, 'text'>): Asked {
  const json = /data-passkey="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  if (json === undefined) throw new Error('the page asks for no passkey');
  return JSON.parse(json) as Asked;
}

/** @param credentialId another's, where it is to pass for that one */
export function softPasskey(credentialId: Buffer = randomBytes(32)): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = credentialId.toString('base64url');
  const clientData = ({ challenge, origin, crossOrigin = false }: Said, type: string) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: Buffer.from(challenge).toString('base64url'),
        origin,
        crossOrigin,
      }),
    );
  const authData = ({ domain, counter = 0 }: Said, flags: number, attested: Buffer) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(domain), Buffer.from([flags]), count, attested]);
  };
  return {
    id,
    publicKey: coseKey(publicKey, -7).toString('base64url'),
    made(said) {
      const { type = 'webauthn.create', flags = 1 | 4, format = 'none', algorithm = -7 } = said;
      const length = Buffer.from([credentialId.length >> 8, credentialId.length & 255]);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey, algorithm)]);
      const statement = new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', new Map()],
        ['authData', authData(said, flags | 64, attested)],
      ]);
      return JSON.stringify({
        id,
        clientDataJSON: clientData(said, type).toString('base64url'),
        attestationObject: cbor(statement).toString('base64url'),
        transports: ['internal'],
      });
    },
    signed(said) {
      const { type = 'webauthn.get', flags = 1 | 4, userHandle = null } = said;
      const client = clientData(said, type);
      const data = authData(said, flags, Buffer.alloc(0));
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return JSON.stringify({
        id,
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle,
      });
    },
  };
}

/** A passkey that a member has. */
export interface OwnPasskey extends SoftPasskey {
  /** What it signs of a page that asks for it. */
  signedFor(page: Answer): string;
}

/** Gives a member a passkey that works. */
export async function givePasskey(service: TestService, memberId: string): Promise<OwnPasskey> {
  const passkey = softPasskey();
  const now = service.clock.now();
  const origin = await service.store.transaction(async (tx) => {
    const member = await findMemberAnywhere(tx, memberId);
    const tenant = service.tenants.all().find(({ id }) => id === member?.tenantId);
    if (member === null || tenant === undefined) throw new Error('there is no such member');
    const { id: credentialId, publicKey } = passkey;
    await insertPasskey(tx, {
      id: service.deps.random.id(now),
      tenantId: tenant.id,
      memberId,
      credentialId,
      publicKey,
      counter: 0,
      isSynced: false,
      isBackedUp: false,
      transports: 'internal',
      aaguid: '00000000-0000-0000-0000-000000000000',
      name: 'A key',
      createdAt: now,
      lastUsedAt: null,
      userAgent: '',
      ipAddress: '192.0.2.1',
    });
    return tenant.issuer;
  });
  const domain = new URL(origin).hostname;
  return {
    ...passkey,
    signedFor: (page) =>
      passkey.signed({ origin, domain, userHandle: userHandleOf(memberId), ...askedIn(page) }),
  };
}
