import { Counter, Gauge, type Registry } from 'prom-client';

/** Adds a figure that only increases and is counted elsewhere. It is read at each scrape. */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Adds such figures by a label. */
export function addCounters(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  read: () => Readonly<Record<string, number>>,
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
    },
  });
}

/** Adds a figure that is read at each scrape; NaN when its database does not answer. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await orElse(Number.NaN, read));
    },
  });
}

/** Adds such figures by a label; they are missing when their database does not answer. */
export function addGauges(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  read: () => Promise<Readonly<Record<string, number>>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      this.reset();
      for (const [value, count] of Object.entries(await orElse({}, read))) this.set({ [label]: value }, count);
    },
  });
}

/** An unreadable figure must not hide all others. */
async function orElse<T>(otherwise: T, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch {
    return otherwise;
  }
}
