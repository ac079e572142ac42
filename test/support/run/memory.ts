/**
 * Lets a worker collect what it left behind in larger steps (MB). A worker begins and ends hundreds of services: in
 * Node's own steps a tenth of its work was to collect them.
 */
export const roomForGarbage = ['--min-semi-space-size=32', '--max-semi-space-size=64'] as const;
