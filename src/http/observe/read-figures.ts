import { Counter, Gauge, type Registry } from 'prom-client';

/** A figure that only grows and is counted elsewhere. It is read when the metrics are asked for. */
export function addCounter(registers: Registry[], name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Such figures by a label. */
export function addCounters(
  registers: Registry[],
  name: string,
  help: string,
  label: string,
  read: () => Readonly<Record<string, number>>,
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers,
    collect() {
      this.reset();
      for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
    },
  });
}

/** A figure that is read when the metrics are asked for. When the database that knows it does not answer, it is NaN. */
export function addGauge(
  registers: Registry[],
  name: string,
  help: string,
  read: () => number | Promise<number>,
): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(await orElse(Number.NaN, read));
    },
  });
}

/** Such figures by a label. When the database that knows them does not answer, they are missing. */
export function addGauges(
  registers: Registry[],
  name: string,
  help: string,
  label: string,
  read: () => Promise<Readonly<Record<string, number>>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers,
    async collect() {
      this.reset();
      for (const [value, count] of Object.entries(await orElse({}, read))) this.set({ [label]: value }, count);
    },
  });
}

/** One figure that cannot be read must not keep all others from being seen. */
async function orElse<T>(otherwise: T, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch {
    return otherwise;
  }
}
