import { useStore } from "../../store/useStore.ts"
import { useMe } from "../me.ts"
import { draftChanges, isKept, namesOfDrafts, prefix, read, write } from "./keptDrafts.ts"

/** Changes of posts that only this browser has, for this person and workspace. */
export const useUnsaved = () => {
  const { caller, workspace } = useMe()
  useStore(draftChanges)
  const namesOf = (id: string) =>
    ["post", "sent"].map((kind) => `${prefix}${caller.id}:${workspace.id}:${kind}:${id}`).filter(isKept)
  return {
    has: (id: string): boolean => namesOf(id).length > 0,
    discard: (id: string) => {
      for (const name of namesOf(id)) write(name, undefined)
    }
  }
}

const textOf = (value: unknown): string => {
  const text = typeof value === "object" && value !== null && "content" in value ? value.content : undefined
  return typeof text === "string" ? text.trim().replaceAll(/\s+/g, " ") : ""
}

/** New posts with a text that only this browser has. */
export const useBegun = () => {
  const { caller, workspace } = useMe()
  useStore(draftChanges)
  const base = `${prefix}${caller.id}:${workspace.id}:compose`
  return {
    begun: namesOfDrafts()
      .filter((name) => name === base || name.startsWith(`${base}:`))
      .map((name) => ({ name, text: textOf(read(name)) }))
      .filter(({ text }) => text !== ""),
    discard: (name: string) => write(name, undefined)
  }
}
