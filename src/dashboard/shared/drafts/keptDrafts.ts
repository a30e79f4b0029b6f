import { parseStored, readStored, writeStored } from "../../store/browserStorage.ts"

/** All drafts in the browser's storage begin with this. */
export const prefix = "draft:"

export const read = (name: string): unknown => parseStored(readStored(name))

/** Removes the draft if the value is undefined. If storing fails, the text is still on the page. */
export const write = (name: string, value: unknown) =>
  writeStored(name, value === undefined ? undefined : JSON.stringify(value))

export const clearDrafts = () => {
  for (const name of Object.keys(window.localStorage)) if (name.startsWith(prefix)) write(name, undefined)
}
