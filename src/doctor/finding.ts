// What the doctor found, and the lines of Caddy and nginx that mend it.
import type { Config } from '../config.ts';

/** One thing that the doctor looked at. */
export interface Finding {
  /** An address, or a part of this machine such as `disk`. */
  readonly where: string;
  readonly isWell: boolean;
  /** What was found, in a few words. */
  readonly what: string;
  /** What to do about it; null where all is well. */
  readonly advice: string | null;
  /** The lines of a proxy's configuration that mend it. */
  readonly mend: ProxyLines | null;
}

/** The same for either proxy. */
export interface ProxyLines {
  readonly nginx: readonly string[];
  readonly caddy: readonly string[];
}

export function well(where: string, what: string): Finding {
  return { where, isWell: true, what, advice: null, mend: null };
}

export function wrong(where: string, what: string, advice: string, mend: ProxyLines | null = null): Finding {
  return { where, isWell: false, what, advice, mend };
}

/** Headers that a proxy must pass on, or leave alone. */
export const proxyLines = {
  hostHeader: {
    nginx: ['proxy_set_header Host $host;'],
    caddy: ['(take out "header_up Host …": it passes the header on by itself)'],
  },
  forwardedFor: {
    nginx: ['proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'],
    caddy: ['(take out "header_up X-Forwarded-For …": it sets the header by itself)'],
  },
  forwardedProto: {
    nginx: ['proxy_set_header X-Forwarded-Proto $scheme;'],
    caddy: ['(take out "header_up X-Forwarded-Proto …": it sets the header by itself)'],
  },
  cookies: {
    nginx: [
      '(take out "proxy_cookie_flags", "proxy_cookie_path", "proxy_cookie_domain", "proxy_hide_header")',
    ],
    caddy: ['(take out "header_down Set-Cookie …" and "header Set-Cookie …")'],
  },
  strictTransport: {
    nginx: [
      '(take out "proxy_hide_header Strict-Transport-Security" and "add_header Strict-Transport-Security")',
    ],
    caddy: ['(take out "header -Strict-Transport-Security" and "header Strict-Transport-Security …")'],
  },
} satisfies Record<string, ProxyLines>;

/** The whole place of a tenant's domain in a proxy. */
export function wholeProxy(hostname: string, { port }: Pick<Config, 'port'>): ProxyLines {
  return {
    nginx: [
      `server_name ${hostname};`,
      'location / {',
      `    proxy_pass http://127.0.0.1:${port};`,
      ...[
        ...proxyLines.hostHeader.nginx,
        ...proxyLines.forwardedFor.nginx,
        ...proxyLines.forwardedProto.nginx,
      ].map((line) => `    ${line}`),
      '}',
    ],
    caddy: [`${hostname} {`, `    reverse_proxy 127.0.0.1:${port}`, '}'],
  };
}

export function redirectToHttps(hostname: string): ProxyLines {
  return {
    nginx: [
      'server {',
      '    listen 80;',
      `    server_name ${hostname};`,
      '    return 308 https://$host$request_uri;',
      '}',
    ],
    caddy: ['(take out "http://" before the address: it redirects by itself)'],
  };
}
