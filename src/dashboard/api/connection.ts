import { makeStore } from "../store/makeStore.ts"
import { useStore } from "../store/useStore.ts"

const connected = makeStore(true)

export const reportConnection = (works: boolean) => connected.set(works)

export const useConnected = (): boolean => useStore(connected)

export const onConnected = (listener: () => void) => {
  connected.subscribe(() => {
    if (connected.get()) listener()
  })
}
