// Audits what is installed: npm run audit. Ends with 0 if all is well, 1 if something is wrong, and 2 if the lock
// file is well but the registry did not answer, so that known holes were not asked about.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readAdvisories } from './advisories.ts';
import { supplyChainProblems } from './supply-chain.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => readFileSync(`${project}/${name}`, 'utf8');
const say = (text: string) => process.stdout.write(`${text}\n`);

const problems = supplyChainProblems({
  manifest: JSON.parse(read('package.json')),
  lock: JSON.parse(read('package-lock.json')),
  npmrc: read('.npmrc'),
});
for (const problem of problems) say(problem);
if (problems.length === 0) say('package.json and package-lock.json are well');

// npm is a script of its own on Windows, which only a shell starts; nothing of ours is in the words.
const asked = spawnSync('npm audit --json', { cwd: project, encoding: 'utf8', shell: true });
const { isAnswer, lines, isBad } = readAdvisories(asked.stdout);
for (const line of lines) say(line);
process.exitCode = problems.length > 0 || isBad ? 1 : isAnswer ? 0 : 2;
