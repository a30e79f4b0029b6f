export interface LimitStatus {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly reset: number
}

/** A fixed window per key, which starts with its first use. */
export interface WindowLimit {
  readonly use: (key: string, points: number, now: number) => LimitStatus
}

export const makeWindowLimit = (limit: number, windowMillis: number): WindowLimit => {
  const windows = new Map<string, { readonly ends: number; used: number }>()
  return {
    use: (key, points, now) => {
      const open = windows.get(key)
      const window = open === undefined || now >= open.ends ? { ends: now + windowMillis, used: 0 } : open
      windows.set(key, window)
      const allowed = window.used + points <= limit
      if (allowed) window.used += points
      return { allowed, limit, remaining: Math.max(0, limit - window.used), reset: Math.ceil(window.ends / 1000) }
    }
  }
}
