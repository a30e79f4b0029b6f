/** The value below which a share of the values lies; 0 without values. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/**
 * The median of the ratios of two contenders, round by round. Other work of the machine affects both contenders of a
 * round, so this is steadier than the ratio of the medians.
 */
export const medianRatio = (values: ReadonlyArray<number>, reference: ReadonlyArray<number>): number =>
  median(values.map((value, round) => value / (reference[round] ?? Number.NaN)))

/** Requests a second, and percentiles of their response times, from times in milliseconds. */
export const summarize = (times: ReadonlyArray<number>, milliseconds: number) => ({
  requests: times.length,
  perSecond: (times.length * 1000) / milliseconds,
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99)
})
