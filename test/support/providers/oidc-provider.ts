import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { freePort } from '../service.ts';

/** What a test uses of the package, which brings no types. */
interface Package {
  readonly default: new (
    issuer: string,
    configuration: object,
  ) => { listen(port: number, host: string): Server };
}

/** oidc-provider, as another party runs it, until the test is over. */
export interface OidcProvider {
  readonly issuer: string;
  /** Signs in there as a browser does, by its own pages. @returns where that browser is sent back to */
  signIn(sentTo: string, login: string): Promise<URL>;
}

/** @param client as its configuration has it */
export async function startOidcProvider(client: object): Promise<OidcProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { default: Provider } = (await import('oidc-provider' as string)) as Package;
  const provider = new Provider(issuer, {
    clients: [client],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: `${id} Elsewhere` }),
    }),
    cookies: { keys: ['a key of a test'] },
  });
  const server = provider.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { address } = server.address() as AddressInfo;
  if (address !== '127.0.0.1') throw new Error('it listens elsewhere');
  return { issuer, signIn: (sentTo, login) => signIn(issuer, sentTo, login) };
}

async function signIn(issuer: string, sentTo: string, login: string): Promise<URL> {
  const jar = new Map<string, string>();
  const send = async (url: URL, form?: Record<string, string>) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return answer;
  };
  let url = new URL(sentTo);
  let answer = await send(url);
  for (let step = 0; step < 12; step += 1) {
    const location = answer.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      if (url.origin !== issuer) return url;
      answer = await send(url);
      continue;
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(await answer.text())?.[1] ?? '';
    answer = await send(url, { prompt, login, password: 'any' });
  }
  throw new Error('it asks without end');
}
