export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void
}

export const makeStore = <A>(initial: A): Store<A> => {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return
      current = value
      for (const listener of Array.from(listeners)) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
