export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const low = sorted[Math.floor(position)] as number;
  const high = sorted[Math.ceil(position)] as number;
  return low + (high - low) * (position - Math.floor(position));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export async function timeEach(count: number, call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  }
  return times;
}
