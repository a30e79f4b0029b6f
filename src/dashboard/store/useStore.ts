import { useLayoutEffect, useState } from "preact/hooks"
import type { Store } from "./makeStore.ts"

export const useStore = <A>({ get, subscribe }: Store<A>): A => {
  const [, render] = useState(0)
  const value = get()
  // `useEffect` would subscribe after the next frame. A save before that would miss the latest input.
  useLayoutEffect(() => {
    const stop = subscribe(() => render((count) => count + 1))
    // The value may have changed since the render.
    if (!Object.is(value, get())) render((count) => count + 1)
    return stop
  }, [get, subscribe])
  return value
}
