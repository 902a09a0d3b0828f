/** What builds images and runs containers, as the beginnings of commands. */
export interface Engine {
  command: readonly string[];
  build: readonly string[];
  /** After `command`: runs a container, on the network of this machine. */
  run: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** @returns the image to begin with, in the place of the one that the Dockerfile names */
  base(named: string): Promise<string>;
}
