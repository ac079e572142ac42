// A virtual authenticator of Chromium (the WebAuthn domain of its DevTools protocol), for the page of a view.
import type { CDPSession } from 'playwright-core';
import type { View } from './browser.ts';

interface Credential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
}

export interface VirtualAuthenticator {
  /** The passkeys that it has. */
  credentials(): Promise<readonly Credential[]>;
  /** Has a copy of one: with another counter, such as a clone has. */
  setCounter(credential: Credential, signCount: number): Promise<void>;
  add(credential: Credential): Promise<void>;
  /** Whether its user is verified, as by a fingerprint. */
  setVerified(isVerified: boolean): Promise<void>;
  /** Whether its user says yes at once; else each request waits. */
  setPresence(isAutomatic: boolean): Promise<void>;
}

/** Gives the page of a view a platform authenticator that verifies its user and counts. */
export async function virtualAuthenticator({ context, page }: View): Promise<VirtualAuthenticator> {
  const cdp: CDPSession = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const add = async (credential: Credential) => {
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  };
  return {
    add,
    async credentials() {
      return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
    },
    async setCounter(credential, signCount) {
      const { credentialId } = credential;
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
      await add({ ...credential, signCount });
    },
    async setVerified(isUserVerified) {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    async setPresence(enabled) {
      await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
  };
}
