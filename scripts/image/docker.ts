import type { Engine } from './engine.ts';

export const DOCKER: Engine = {
  command: ['docker'],
  build: ['docker', 'build'],
  run: ['run', '--network', 'host'],
  environment: {},
  base: async (named) => named,
};
