import { makeStore } from "../store/makeStore.ts"
import { useStore } from "../store/useStore.ts"

/** Whether the last request reached the service. */
const connected = makeStore(true)

export const reportConnection = (works: boolean) => {
  connected.set(works)
}

/** The same, as a component follows it. */
export const useConnected = (): boolean => useStore(connected)

/** Calls a function whenever a request reaches the service after one that did not. */
export const onConnected = (listener: () => void) => {
  connected.subscribe(() => {
    if (connected.get()) listener()
  })
}
