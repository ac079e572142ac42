import { codesFor, poll } from '../../../test/support/device.ts';
import type { Served } from '../site.ts';
import type { LedgerClient } from './client.ts';

const tv = { clientId: 'tv' };

/** A TV that is never approved, and polls far too often. */
export function poller(name: string): LedgerClient {
  let deviceCode: string | null = null;

  /** @returns what is wrong with the answer; null if the code still waits */
  const ask = async ({ service, host }: Served, code: string): Promise<string | null> => {
    const { error } = (await poll(service, host, code, tv)).json();
    return ['authorization_pending', 'slow_down'].includes(String(error))
      ? null
      : `a code that waits was answered by ${error}`;
  };

  return {
    name,
    act: async (site, ledger) => {
      if (deviceCode === null) {
        ledger.intent('device code');
        deviceCode = (await codesFor(site.service, site.host, tv)).device_code;
        ledger.ack('device code');
      }
      const problem = await ask(site, deviceCode);
      if (problem !== null) throw new Error(problem);
    },
    check: async (site) => {
      if (deviceCode === null) return [];
      const code = deviceCode;
      deviceCode = null;
      return [(await ask(site, code)) ?? []].flat();
    },
  };
}
