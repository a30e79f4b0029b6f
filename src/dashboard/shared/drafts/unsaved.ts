import { useStore } from "../../store/useStore.ts"
import { useMe } from "../me.ts"
import { draftChanges, namesOf, prefix, read, write } from "./keptDrafts.ts"

const kinds = ["post", "sent"] as const

/** Changes of posts that only this browser has, for this person and workspace. */
export const useUnsaved = () => {
  const { caller, workspace } = useMe()
  useStore(draftChanges)
  const owner = `${prefix}${caller.id}:${workspace.id}:`
  const keysOf = (id: string) =>
    kinds.flatMap((kind) => namesOf(`${owner}${kind}:${id}`)).map((name) => name.slice(owner.length))
  return {
    has: (id: string): boolean => keysOf(id).length > 0,
    /** One for each tab in which the post was changed, for `useDraft`. */
    keysOf,
    discard: (id: string) => {
      for (const key of keysOf(id)) write(`${owner}${key}`, undefined)
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
    begun: namesOf(base)
      .map((name) => ({ name, text: textOf(read(name)) }))
      .filter(({ text }) => text !== ""),
    discard: (name: string) => write(name, undefined)
  }
}
