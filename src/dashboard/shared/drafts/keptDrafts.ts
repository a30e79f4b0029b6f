import { makeStore } from "../../store/makeStore.ts"
import { parseStored, readStored, writeStored } from "../../store/browserStorage.ts"

/** All drafts in the browser's storage begin with this. */
export const prefix = "draft:"

/** Grows with every change of a draft, in this tab or another. */
export const draftChanges = makeStore(0)

const announce = () => draftChanges.set(draftChanges.get() + 1)

window.addEventListener("storage", announce)

export const read = (name: string): unknown => parseStored(readStored(name))

/** Removes the draft if the value is undefined. If storing fails, the text is still on the page. */
export const write = (name: string, value: unknown) => {
  writeStored(name, value === undefined ? undefined : JSON.stringify(value))
  announce()
}

export const namesOfDrafts = (): ReadonlyArray<string> =>
  Object.keys(window.localStorage).filter((name) => name.startsWith(prefix))

export const clearDrafts = () => {
  for (const name of namesOfDrafts()) write(name, undefined)
}
