import { useStore } from "../../store/useStore.ts"
import { draftChanges, namesOfDrafts, prefix, read, write } from "../../shared/drafts/keptDrafts.ts"
import { UnsavedNote } from "../../shared/drafts/UnsavedNote.tsx"
import { useMe } from "../../shared/me.ts"

const maxWords = 60

const textOf = (value: unknown): string => {
  const text = typeof value === "object" && value !== null && "content" in value ? value.content : undefined
  return typeof text === "string" ? text.trim().replaceAll(/\s+/g, " ") : ""
}

/** Begun posts that were not saved as drafts yet, such as those written without a connection. */
export const BegunPosts = () => {
  const { caller, workspace } = useMe()
  useStore(draftChanges)
  const base = `${prefix}${caller.id}:${workspace.id}:compose`
  const begun = namesOfDrafts()
    .filter((name) => name === base || name.startsWith(`${base}:`))
    .map((name) => ({ name, text: textOf(read(name)) }))
    .filter(({ text }) => text !== "")
  return begun.map(({ name, text }) => (
    <UnsavedNote key={name} href="/compose" onDiscard={() => write(name, undefined)}>
      A post that you began is only in this browser: “{text.length > maxWords ? `${text.slice(0, maxWords)}…` : text}”
    </UnsavedNote>
  ))
}
