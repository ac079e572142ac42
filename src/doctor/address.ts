// Judges how a call to a tenant's public address arrived and how it was answered.
import { certificateRest, clockTolerance, strictTransportSeconds } from '../core/operators/limits.ts';
import type { CallAnswer, CallResult, CertificateFacts } from './call.ts';
import { type Finding, proxyLines, redirectToHttps, well, wholeProxy, wrong } from './finding.ts';
import type { Nonce, Seen } from './nonce.ts';

/** The address that the doctor claims to come from; no machine has it (RFC 5737 §3). */
export const claimedAddress = '192.0.2.77';

/** A public address of a tenant, and what is known of how it should answer. */
export interface PublicAddress {
  /** Its issuer. */
  readonly origin: string;
  /** The Host that its requests must arrive with (decision 1). */
  readonly host: string;
  /** The port that the service listens on. */
  readonly port: number;
  /** Whether it serves pages; the API's own host does not. */
  readonly hasPages: boolean;
}

/**
 * Judges how a call to a public address arrived and was answered. What something else says of it counts for
 * nothing: its advice would be followed.
 *
 * @param now ms, of this machine
 */
export function judgeAddress(
  address: PublicAddress,
  result: CallResult,
  nonce: Pick<Nonce, 'isProof'>,
  now: number,
): readonly Finding[] {
  const { origin } = address;
  const { hostname } = new URL(origin);
  const whole = wholeProxy(hostname, address);
  if (!result.ok)
    return [wrong(origin, `it cannot be reached: ${result.code}`, adviceOn(result.code), whole)];
  const { answer } = result;
  const certificate = answer.certificate === null ? [] : [judgeCertificate(origin, answer.certificate, now)];
  const seen = readSeen(answer, nonce);
  if (seen === null) {
    const what = `something else answers there (status ${answer.status})`;
    return [...certificate, wrong(origin, what, `let the proxy lead ${hostname} to this service`, whole)];
  }
  const isHostRight = withoutOwnPort(seen.host) === address.host;
  return [
    ...certificate,
    judgeHost(address, seen, isHostRight),
    judgeScheme(origin, seen),
    judgeClient(origin, seen),
    // On a wrong host there is no tenant, so no cookie is set.
    ...(isHostRight && address.hasPages ? [judgeCookie(origin, answer)] : []),
    ...(origin.startsWith('https:') ? [judgeStrictTransport(origin, answer)] : []),
    judgeClock(origin, answer, seen, now),
  ];
}

/**
 * Judges what plain http of an https address says: anything but our own answer (RFC 6797 §7.2).
 *
 * @param result of a call to `plainHttpPath`
 */
export function judgePlainHttp(origin: string, result: CallResult): Finding {
  if (!result.ok || result.answer.status !== 200) return well(origin, 'it is not served over plain http');
  const { hostname } = new URL(origin);
  const advice = `let the proxy redirect http://${hostname} to https`;
  return wrong(origin, 'it is served over plain http too', advice, redirectToHttps(hostname));
}

/** What every tenant serves. */
export const plainHttpPath = '/.well-known/openid-configuration';

function adviceOn(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'let its name lead to this machine in the DNS';
  if (code === 'ECONNREFUSED') return 'start the proxy, and let it listen on this port';
  return 'see whether the proxy runs, and whether a firewall lets this port through';
}

function judgeCertificate(origin: string, certificate: CertificateFacts, now: number): Finding {
  const { problem, validFrom, validUntil } = certificate;
  if (validUntil <= now) {
    return wrong(
      origin,
      `its certificate expired ${inWords(now - validUntil)} ago`,
      'let the proxy renew it',
    );
  }
  if (problem === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return wrong(origin, 'its certificate is for another name', 'let the proxy get one for this name');
  }
  if (problem !== null) {
    return wrong(origin, `its certificate is not trusted: ${problem}`, 'get one from a known authority');
  }
  const what = `its certificate is good for ${inWords(validUntil - now)}`;
  const { time, share } = certificateRest;
  const isLate = validUntil - now < Math.min(time, (validUntil - validFrom) * share);
  return isLate ? wrong(origin, what, 'see why the proxy has not renewed it') : well(origin, what);
}

function inWords(ms: number): string {
  const hours = Math.trunc(ms / (60 * 60 * 1_000));
  return hours < 48 ? `${hours} hours` : `${Math.trunc(hours / 24)} days`;
}

function judgeHost({ origin, host }: PublicAddress, seen: Seen, isRight: boolean): Finding {
  if (isRight) return well(origin, `Host arrives as ${host}`);
  const what = `Host arrives as ${seen.host ?? 'nothing'} instead of ${host}`;
  return wrong(origin, what, 'let the proxy pass Host on unchanged', proxyLines.hostHeader);
}

function judgeScheme(origin: string, { forwardedProto }: Seen): Finding {
  const scheme = new URL(origin).protocol.slice(0, -1);
  if (forwardedProto === null || forwardedProto === scheme) return well(origin, `the scheme is ${scheme}`);
  const what = `X-Forwarded-Proto says ${forwardedProto}, and the address is ${scheme}`;
  return wrong(origin, what, `let the proxy end TLS, and say ${scheme}`, proxyLines.forwardedProto);
}

/** Limits count addresses, and pages show them: what the service takes for the caller's must be true. */
function judgeClient(origin: string, seen: Seen): Finding {
  const { forwardedFor, peer, isPeerTrusted, isAnybodyTrusted } = seen;
  if (isAnybodyTrusted) {
    const advice = 'let MEMBERDOOR_TRUSTED_PROXIES name the proxies alone';
    return wrong(origin, 'every address is trusted as a proxy, so callers can claim any', advice);
  }
  // What a caller claims does not count where no proxy is trusted.
  const hasNoProxy = forwardedFor === null || (forwardedFor === claimedAddress && !isPeerTrusted);
  if (hasNoProxy && origin.startsWith('http:')) {
    return well(origin, `callers are known by their connection (${peer})`);
  }
  if (forwardedFor === claimedAddress) {
    const what = 'the proxy passes on whatever address a caller claims';
    return wrong(origin, what, 'let the proxy set X-Forwarded-For', proxyLines.forwardedFor);
  }
  if (forwardedFor === null) {
    const what = `no X-Forwarded-For arrives, so everybody seems to come from ${peer}`;
    return wrong(origin, what, 'let the proxy set X-Forwarded-For', proxyLines.forwardedFor);
  }
  if (!isPeerTrusted) {
    const what = `X-Forwarded-For from ${peer} is not trusted, so everybody seems to come from there`;
    return wrong(origin, what, `set MEMBERDOOR_TRUSTED_PROXIES=${peer} and restart the service`);
  }
  return well(origin, `callers are known by X-Forwarded-For of ${peer}`);
}

function judgeCookie(origin: string, { headers }: CallAnswer): Finding {
  const [line] = headers['set-cookie'] ?? [];
  if (line === undefined) {
    return wrong(
      origin,
      'cookies do not get through',
      'let the proxy leave Set-Cookie alone',
      proxyLines.cookies,
    );
  }
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim().toLowerCase());
  const isSecure = origin.startsWith('https:');
  const problems = [
    ...(isSecure && !pair.startsWith('__host-') ? ['lack __Host-'] : []),
    ...(isSecure && !attributes.includes('secure') ? ['lack Secure'] : []),
    ...(attributes.includes('httponly') ? [] : ['lack HttpOnly']),
    ...(attributes.includes('samesite=lax') ? [] : ['lack SameSite=Lax']),
    ...(attributes.includes('path=/') ? [] : ['lack Path=/']),
    ...(attributes.some((text) => text.startsWith('domain=')) ? ['have a Domain'] : []),
  ];
  if (problems.length === 0) return well(origin, 'cookies arrive as they were set');
  const what = `cookies arrive changed: they ${problems.join(', ')}`;
  return wrong(origin, what, 'let the proxy leave Set-Cookie alone', proxyLines.cookies);
}

function judgeStrictTransport(origin: string, { headers }: CallAnswer): Finding {
  const header = headers['strict-transport-security'];
  const seconds = Number(/max-age="?(\d+)/i.exec(header ?? '')?.[1] ?? 0);
  if (seconds >= strictTransportSeconds) return well(origin, 'browsers stay on https (HSTS)');
  const what = header === undefined ? 'HSTS does not get through' : `HSTS arrives as ${header}`;
  return wrong(origin, what, 'let the proxy leave the header alone', proxyLines.strictTransport);
}

function judgeClock(origin: string, { headers }: CallAnswer, seen: Seen, now: number): Finding {
  const offs = [
    ['the service', seen.now - now],
    ['the proxy', Date.parse(headers.date ?? '') - now],
  ] as const;
  const off = offs.find(([, ms]) => Math.abs(ms) > clockTolerance);
  if (off === undefined) return well(origin, 'the clocks agree');
  const what = `the clock of ${off[0]} differs from this one by ${Math.round(off[1] / 1_000)} s`;
  return wrong(origin, what, 'let both machines follow a time server');
}

function readSeen({ status, body }: CallAnswer, nonce: Pick<Nonce, 'isProof'>): Seen | null {
  if (status !== 200) return null;
  try {
    const { seen, proof } = JSON.parse(body) as { readonly seen: Seen; readonly proof: unknown };
    return typeof proof === 'string' && nonce.isProof(seen, proof) ? seen : null;
  } catch {
    return null;
  }
}

const withoutOwnPort = (host: string | null) => (host ?? '').toLowerCase().replace(/:(?:80|443)$/, '');
