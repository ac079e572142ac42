// Reads the public address of a tenant.
import { isHostName } from '../oidc/redirect-uri.ts';
import type { Tenant } from '../tenant.ts';

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the public address of a tenant: `https` and a host, without a path (decision 4). `http` is for
 * loopback alone. The slash and the dot behind the host that people write are left out: `example.com.` is the same
 * host (RFC 1034 §3.1), and would be a second tenant on it (F19).
 *
 * @returns the issuer and the Host that requests for it carry, or null
 */
export function readIssuer(text: string): Pick<Tenant, 'issuer' | 'host'> | null {
  if (!URL.canParse(text.trim())) return null;
  const url = new URL(text.trim());
  url.hostname = url.hostname.replace(/(?<!\.)\.$/, '');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.test(url.hostname))) return null;
  if (!isHostName(url.hostname)) return null;
  // An origin alone: whatever else there is would stand behind it.
  return url.href === `${url.origin}/` ? { issuer: url.origin, host: url.host } : null;
}
