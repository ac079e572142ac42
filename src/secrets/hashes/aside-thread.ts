// The thread that makes hashes which the platform has no function for: one answer to each task of `aside.ts`.
import { parentPort } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';
import type { AsideTask } from './aside.ts';
import { phpass } from './phpass.ts';
import { shaCrypt } from './sha-crypt.ts';

parentPort?.on('message', (task: AsideTask) => {
  parentPort?.postMessage(hashOf(task));
});

function hashOf(task: AsideTask): string {
  switch (task.kind) {
    case 'bcrypt':
      return hashSync(task.password, task.settings);
    case 'sha-crypt':
      return shaCrypt(task.digest, task.password, task.salt, task.rounds);
    case 'phpass':
      return phpass(task.password, task.salt, task.rounds);
  }
}
