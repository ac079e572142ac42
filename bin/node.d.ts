/** Whether the Node that runs this is new enough. */
export function isNewEnough(): boolean;
/** The program of a Node that is new enough; null where there is none. */
export function newerNode(): string | null;
/** Runs words on the newer Node with this terminal, and ends this process as that one ends. */
export function runOnNewerNode(words: readonly string[], env?: NodeJS.ProcessEnv): void;
/** Ends this process with the shell that a script of npm runs it in. */
export function endWithShell(): void;
