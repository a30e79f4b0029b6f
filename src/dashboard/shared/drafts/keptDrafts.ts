import { makeStore } from "../../store/makeStore.ts"
import { parseStored, readStored, storedNames, writeStored } from "../../store/browserStorage.ts"

/** All drafts in the browser's storage begin with this. */
export const prefix = "draft:"

/** Grows with every change of a draft, in this tab or another. */
export const draftChanges = makeStore(0)

const announce = () => draftChanges.set(draftChanges.get() + 1)

window.addEventListener("storage", announce)

/** Drafts as JSON that the browser could not store, because its storage is full or forbidden. */
const unstored = new Map<string, string>()

// They would be lost with the page, so the browser asks first.
window.addEventListener("beforeunload", (event) => {
  if (unstored.size > 0) event.preventDefault()
})

const textOf = (name: string): string | null => unstored.get(name) ?? readStored(name)

export const isKept = (name: string): boolean => textOf(name) !== null

export const read = (name: string): unknown => parseStored(textOf(name))

/** Removes the draft if the value is undefined. If storing fails, the page keeps it until it is closed. */
export const write = (name: string, value: unknown) => {
  const text = value === undefined ? undefined : JSON.stringify(value)
  const isStored = writeStored(name, text)
  if (isStored || text === undefined) unstored.delete(name)
  else unstored.set(name, text)
  announce()
}

export const namesOfDrafts = (): ReadonlyArray<string> =>
  Array.from(new Set([...storedNames().filter((name) => name.startsWith(prefix)), ...unstored.keys()]))

export const clearDrafts = () => {
  for (const name of namesOfDrafts()) write(name, undefined)
}
