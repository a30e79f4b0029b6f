import { useLayoutEffect, useState } from "preact/hooks"
import type { Store } from "./makeStore.ts"

export const useStore = <A>({ get, subscribe }: Store<A>): A => {
  const [, render] = useState(0)
  const value = get()
  // A plain effect waits for the next frame. Earlier input would be kept, but not saved.
  useLayoutEffect(() => {
    const stop = subscribe(() => {
      render((count) => count + 1)
    })
    // It may have changed since the rendering.
    if (!Object.is(value, get())) render((count) => count + 1)
    return stop
  }, [get, subscribe])
  return value
}
