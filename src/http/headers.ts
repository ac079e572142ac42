// Sets the security headers.
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';

const year = 365 * 24 * 60 * 60;

/** The headers that helmet would set, as a table: they do not change between requests. */
function headersOf(options: HelmetOptions): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = String(value);
    },
    removeHeader: () => {},
  };
  helmet(options)(undefined as never, response as unknown as ServerResponse, () => {});
  return headers;
}

const helmets = headersOf({
  contentSecurityPolicy: false,
  frameguard: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: { maxAge: year, includeSubDomains: false },
});

const only = (isMeant: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(helmets).filter(([name]) => isMeant(name)));

const hsts = 'strict-transport-security';
const onEveryAnswer: ReadonlySet<string> = new Set([
  hsts,
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
]);

/** The security headers of every answer over https, and of those that know no tenant: http ignores HSTS (W2). */
export const overHttps = only((name) => onEveryAnswer.has(name));
const overHttp = only((name) => onEveryAnswer.has(name) && name !== hsts);

/** The headers of a page beside those of every answer: they tell a browser what JSON has no use for (W2). */
const onPages = only((name) => !onEveryAnswer.has(name));

/** Sets the security headers of every answer (W2). */
export function securityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    setSecurityHeaders(reply);
    done();
  });
}

/** HSTS is for https alone (RFC 6797 §7.2). */
export function setSecurityHeaders(reply: FastifyReply): void {
  reply.headers(reply.request.tenant?.issuer.startsWith('https:') === false ? overHttp : overHttps);
}

/**
 * The headers of a page beside those of every answer (W1, W2).
 *
 * @param formTargets see `contentSecurityPolicy`
 * @param may `framesOwn` if it has frames, which show documents of ours alone; `asksOwn` if its script asks us something
 */
export function pageHeaders(
  styleHash: string,
  formTargets: readonly string[],
  {
    framesOwn,
    asksOwn,
  }: { readonly framesOwn?: boolean | undefined; readonly asksOwn?: boolean | undefined } = {},
): Readonly<Record<string, string>> {
  const policy = [
    contentSecurityPolicy(styleHash, formTargets),
    ...(framesOwn === true ? ["frame-src 'self'"] : []),
    ...(asksOwn === true ? ["connect-src 'self'"] : []),
  ];
  return { ...onPages, 'content-security-policy': policy.join(';') };
}

/** For a document that a page of ours shows in a frame: with its own styles and pictures, and no script and no form. */
const framed = (pictures: string, frames: string, sandbox: string): Readonly<Record<string, string>> => ({
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${pictures}`,
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    sandbox,
  ].join(';'),
});

/** For a mail that a page of ours shows in a frame, with links that are clicked. */
export const mailHeaders = framed('data:', "'none'", 'sandbox allow-top-navigation-by-user-activation');

/** For a preview, which holds pages as documents in frames without an address. */
export const previewHeaders = framed("'self' data:", "'self'", 'sandbox');

/**
 * The Content-Security-Policy of a page (W1): nothing but our own script, this very style sheet, pictures that the page
 * itself holds or we serve, and forms to ourselves and to where the flow goes on, because Chromium checks redirects after a form too.
 *
 * @param styleHash `sha256-…` of the page's style element
 * @param formTargets sources beside 'self' that a form of the page may lead to
 */
export function contentSecurityPolicy(styleHash: string, formTargets: readonly string[]): string {
  const headers = headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': [`'${styleHash}'`],
        'img-src': ["'self'", 'data:'],
        'object-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': ["'self'", ...formTargets],
        'frame-ancestors': ["'none'"],
      },
    },
  });
  return headers['content-security-policy'] ?? '';
}

/** The source expression that lets a form lead to this redirect_uri. */
export function formTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  // A private-use scheme has no origin, and CSP has no syntax for an IPv6 host.
  return protocol.startsWith('http') && !origin.includes('[') ? origin : protocol;
}

/**
 * How often a header, named in lower case, stands in a request. Node keeps the first of two Host or Authorization
 * headers, and a proxy before us may have looked at the other (RFC 9112 §3.2; M2).
 */
export function headerLines({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) lines += 1;
  }
  return lines;
}
