import { readStored } from "../../store/browserStorage.ts"
import { useStore } from "../../store/useStore.ts"
import { useMe } from "../me.ts"
import { draftChanges, prefix, write } from "./keptDrafts.ts"

/** Changes of posts that only this browser has, for this person and workspace. */
export const useUnsaved = () => {
  const { caller, workspace } = useMe()
  useStore(draftChanges)
  const namesOf = (id: string) =>
    ["post", "sent"]
      .map((kind) => `${prefix}${caller.id}:${workspace.id}:${kind}:${id}`)
      .filter((name) => readStored(name) !== null)
  return {
    has: (id: string): boolean => namesOf(id).length > 0,
    discard: (id: string) => {
      for (const name of namesOf(id)) write(name, undefined)
    }
  }
}
