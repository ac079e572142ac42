// Long faults of durability against the real service process: npm run test:faults. It takes a quarter of an hour
// and more (300 rounds; `--rounds 60` for fewer, `--only Z3,Z7` for some), and is no part of `npm test`.
import type { Case } from './case.ts';
import { crowdedMember } from './cases/load/crowded-member.ts';
import { neverRead } from './cases/load/never-read.ts';
import { sameTime } from './cases/load/same-time.ts';
import { clockJumps } from './cases/process/clock-jumps.ts';
import { drain } from './cases/process/drain.ts';
import { ledgerLoop } from './cases/process/ledger-loop.ts';
import { restartTime } from './cases/process/restart-time.ts';
import { rotationUnderKill } from './cases/process/rotation.ts';
import { stuckLog } from './cases/process/stuck-log.ts';
import { anotherFile } from './cases/storage/another-file.ts';
import { corruptFile } from './cases/storage/corrupt.ts';
import { diskFull } from './cases/storage/disk-full.ts';
import { erasedMember } from './cases/storage/erased-member.ts';
import { failingSync } from './cases/storage/failing-sync.ts';
import { fsyncTrace } from './cases/storage/fsync-trace.ts';
import { foreignLock } from './cases/storage/lock.ts';
import { lockRemoved } from './cases/storage/lock-removed.ts';
import { movingIn } from './cases/storage/moving-in.ts';
import { readOnly } from './cases/storage/read-only.ts';
import { secondProcess } from './cases/storage/second-process.ts';
import { slowFsync } from './cases/storage/slow-fsync.ts';
import { toldEvents } from './cases/storage/told-events.ts';
import { killAll } from './site.ts';
import { readWords, runCases } from './suite.ts';

const cases: readonly Case[] = [
  ledgerLoop,
  rotationUnderKill,
  fsyncTrace,
  diskFull,
  readOnly,
  foreignLock,
  secondProcess,
  corruptFile,
  failingSync,
  drain,
  clockJumps,
  restartTime,
  neverRead,
  sameTime,
  crowdedMember,
  anotherFile,
  lockRemoved,
  slowFsync,
  erasedMember,
  stuckLog,
  movingIn,
  toldEvents,
];

const ids = cases.map(({ id }) => id);
const { rounds, isChosen } = readWords('test:faults', ids, 300);
const chosen = cases.filter(({ id }) => isChosen(id));
process.exit((await runCases(chosen, rounds, killAll)) ? 0 : 1);
