import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a TLS server needs, as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** An authority of its own, so that no test needs a tool of the machine. */
export interface Authority {
  /** Its own certificate, to be trusted, as PEM. */
  readonly cert: string;
  /** A certificate for these names, from then to then (ms). */
  issue(names: readonly string[], from: number, until: number): Certificate;
}

const day = 24 * 60 * 60 * 1_000;

/** Makes an authority whose certificates are checked as any other's (X.509, RFC 5280 §4.1). */
export function makeAuthority(now: number, name = 'Authority of a test'): Authority {
  const keys = newKeys();
  const until = now + 3_650 * day;
  const cert = certificate({
    issuer: name,
    subject: name,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    from: now - 3_650 * day,
    until,
    extensions: [
      extension('2.5.29.19', sequence(boolean(true))),
      extension('2.5.29.15', bitString(Buffer.from([0x06]), 1)),
    ],
  });
  return {
    cert,
    issue: (names, from, to) => {
      const { publicKey, privateKey } = newKeys();
      const alternatives = sequence(...names.map((text) => tagged(0x82, Buffer.from(text, 'ascii'))));
      return {
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: certificate({
          issuer: name,
          subject: names[0] ?? '',
          publicKey,
          signer: keys.privateKey,
          from,
          until: to,
          extensions: [extension('2.5.29.17', alternatives)],
        }),
      };
    },
  };
}

function newKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey: createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })), publicKey };
}

interface Facts {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly from: number;
  readonly until: number;
  readonly extensions: readonly Buffer[];
}

function certificate({ issuer, subject, publicKey, signer, from, until, extensions }: Facts): string {
  const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(time(from), time(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const der = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, signer), 0));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** DER: a tag, the length, the content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, Buffer.concat(parts));
const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0]));
const bitString = (bytes: Buffer, unused: number) =>
  tagged(0x03, Buffer.concat([Buffer.from([unused]), bytes]));
const extension = (id: string, value: Buffer) => sequence(oid(id), tagged(0x04, value));
const nameOf = (text: string) =>
  sequence(tagged(0x31, sequence(oid('2.5.4.3'), tagged(0x0c, Buffer.from(text)))));
/** GeneralizedTime, which has years of four digits. */
const time = (ms: number) =>
  tagged(0x18, Buffer.from(`${new Date(ms).toISOString().slice(0, 19).replace(/\D/g, '')}Z`));

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]));
}
