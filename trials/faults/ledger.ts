import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/**
 * What one client asked for and what was acknowledged to it, in a file of its own and on the disk before it
 * goes on: to be read after a violation. It names what was done, never with which secret.
 */
export interface Ledger {
  intent(what: string): void;
  ack(what: string): void;
  /** How much was acknowledged. */
  acks(): number;
  close(): void;
}

export function openLedger(path: string): Ledger {
  const file = openSync(path, 'a');
  let acks = 0;
  const write = (line: string) => {
    writeSync(file, `${new Date().toISOString()} ${line}\n`);
    fsyncSync(file);
  };
  return {
    intent: (what) => write(`intent ${what}`),
    ack: (what) => {
      write(`ack ${what}`);
      acks += 1;
    },
    acks: () => acks,
    close: () => closeSync(file),
  };
}
