import { useLayoutEffect, useState } from "preact/hooks"
import type { Store } from "./makeStore.ts"

/** The value of a store, which renders the component again when it changes. */
export const useStore = <A>({ get, subscribe }: Store<A>): A => {
  const [, render] = useState(0)
  const value = get()
  // A plain effect waits for the next frame: what is typed until then would be kept, and not be part of what is saved.
  useLayoutEffect(() => {
    const stop = subscribe(() => {
      render((count) => count + 1)
    })
    // It may have changed between the rendering and now.
    if (!Object.is(value, get())) render((count) => count + 1)
    return stop
  }, [get, subscribe])
  return value
}
