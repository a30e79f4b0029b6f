import { useEffect, useState } from "preact/hooks"

/** A value that components follow. */
export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Returns how to stop following. */
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

/** The value of a store, which renders the component again when it changes. */
export const useStore = <A>({ get, subscribe }: Store<A>): A => {
  const [, render] = useState(0)
  const value = get()
  useEffect(() => {
    const stop = subscribe(() => {
      render((count) => count + 1)
    })
    // It may have changed between the rendering and now.
    if (!Object.is(value, get())) render((count) => count + 1)
    return stop
  }, [get, subscribe])
  return value
}
