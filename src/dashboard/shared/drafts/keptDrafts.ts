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

let known: { readonly change: number; readonly names: ReadonlyArray<string> } = { change: -1, names: [] }

/** Read once per change, because each post in view looks for its drafts. */
export const namesOfDrafts = (): ReadonlyArray<string> => {
  const change = draftChanges.get()
  if (known.change !== change) {
    const stored = storedNames().filter((name) => name.startsWith(prefix))
    known = { change, names: Array.from(new Set([...stored, ...unstored.keys()])) }
  }
  return known.names
}

/** The name of the first tab's draft; see `tabNames`. */
export const baseOf = (name: string): string => name.replace(/:\d+$/, "")

/** The drafts of all tabs. */
export const namesOf = (base: string): ReadonlyArray<string> => namesOfDrafts().filter((name) => baseOf(name) === base)

export const clearDrafts = () => {
  for (const name of namesOfDrafts()) write(name, undefined)
}
