// Unpacks the browser once, before any test: on a slow machine that takes longer than a test may.
import { unpackedChromium } from '../browser/chromium.ts';

export async function setup(): Promise<void> {
  await unpackedChromium();
}
