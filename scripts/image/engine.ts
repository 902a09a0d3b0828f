/** Commands that build images and run containers, as prefixes. */
export interface Engine {
  command: readonly string[];
  build: readonly string[];
  /** Prefix before `command`: runs a container, on the network of this host. */
  run: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** @returns the base image, which replaces the one named in the Dockerfile */
  base(named: string): Promise<string>;
}
