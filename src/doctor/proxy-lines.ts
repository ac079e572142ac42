// The lines of Caddy and nginx that mend what the doctor found.
import type { Config } from '../config.ts';
import type { ProxyLines } from './finding.ts';

/** The whole place of a tenant's domain in a proxy. */
export function wholeProxy(hostname: string, { port }: Pick<Config, 'port'>): ProxyLines {
  return {
    nginx: [
      `server_name ${hostname};`,
      'location / {',
      `    proxy_pass http://127.0.0.1:${port};`,
      ...[...hostHeader.nginx, ...forwardedFor.nginx, ...forwardedProto.nginx].map((line) => `    ${line}`),
      '}',
    ],
    caddy: [`${hostname} {`, `    reverse_proxy 127.0.0.1:${port}`, '}'],
  };
}

export const hostHeader: ProxyLines = {
  nginx: ['proxy_set_header Host $host;'],
  caddy: ['(take out "header_up Host …": it passes the header on by itself)'],
};

export const forwardedFor: ProxyLines = {
  nginx: ['proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'],
  caddy: ['(take out "header_up X-Forwarded-For …": it sets the header by itself)'],
};

export const forwardedProto: ProxyLines = {
  nginx: ['proxy_set_header X-Forwarded-Proto $scheme;'],
  caddy: ['(take out "header_up X-Forwarded-Proto …": it sets the header by itself)'],
};

export const cookies: ProxyLines = {
  nginx: ['(take out "proxy_cookie_flags", "proxy_cookie_path", "proxy_cookie_domain", "proxy_hide_header")'],
  caddy: ['(take out "header_down Set-Cookie …" and "header Set-Cookie …")'],
};

export const strictTransport: ProxyLines = {
  nginx: [
    '(take out "proxy_hide_header Strict-Transport-Security" and "add_header Strict-Transport-Security")',
  ],
  caddy: ['(take out "header -Strict-Transport-Security" and "header Strict-Transport-Security …")'],
};

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
