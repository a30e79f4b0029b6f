import { parseStored, readStored, writeStored } from "../../store/browserStorage.ts"

/** The prefix of all drafts in the browser's storage. */
export const prefix = "draft:"

export const read = (name: string): unknown => parseStored(readStored(name))

/** Undefined removes the draft. If storage fails, the text is still on the page. */
export const write = (name: string, value: unknown) =>
  writeStored(name, value === undefined ? undefined : JSON.stringify(value))

export const clearDrafts = () => {
  for (const name of Object.keys(window.localStorage)) if (name.startsWith(prefix)) write(name, undefined)
}
