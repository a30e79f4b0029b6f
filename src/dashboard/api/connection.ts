import { makeStore } from "../store/makeStore.ts"

/** Whether the last request reached the service. */
export const connected = makeStore(true)

export const reportConnection = (works: boolean) => {
  connected.set(works)
}
