// Puts the tenants of a file where the development service is that follows it.
import { readIssuer } from '../../../core/tenant.ts';

/**
 * A file with its development tenants at the port of the service, whichever port it names: it says which tenants there
 * are, and the service where it listens.
 *
 * @param file anything
 */
export function atPort(file: unknown, port: number): unknown {
  if (!isObject(file) || !Array.isArray(file.tenants)) return file;
  const hosts = new Map<string, string>();
  const tenants = file.tenants.map((tenant: unknown) => {
    if (!isObject(tenant) || tenant.development !== true || typeof tenant.issuer !== 'string') return tenant;
    const named = readIssuer(tenant.issuer);
    if (named === null || !named.issuer.startsWith('http:')) return tenant;
    const host = `${named.host.replace(/:\d+$/, '')}:${port}`;
    hosts.set(named.host, host);
    return { ...tenant, issuer: `http://${host}` };
  });
  const staged = tenants.map((tenant: unknown) => {
    const stage = isObject(tenant) && hosts.get(String(tenant.stageTenant));
    return stage ? { ...(tenant as object), stageTenant: stage } : tenant;
  });
  return { ...file, tenants: staged };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
