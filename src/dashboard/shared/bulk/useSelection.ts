import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { useStore } from "../../store/useStore.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { useCan, useMe } from "../me.ts"
import { useShortcut } from "../shortcuts.ts"
import { between, maxSelected, noSelection, type Selection, selection, withoutPosts, withPosts } from "./selection.ts"

const selectionOf = (owner: string): Selection => {
  const stored = selection.get()
  return stored.owner === owner ? stored : { ...noSelection, owner }
}

/** There is no selection mode if the person's role can't change posts. */
export const useSelection = () => {
  const { caller, workspace } = useMe()
  const can = useCan()
  const owner = `${caller.id}:${workspace.id}`
  useStore(selection)
  const { isOn, posts: chosen } = selectionOf(owner)
  const canSelect = can("posts:write") || can("posts:publish") || can("posts:delete")

  const add = (posts: ReadonlyArray<PostJson>, anchor: string | undefined) => {
    const next = withPosts(selectionOf(owner), posts, anchor)
    selection.set(next)
    if (posts.some(({ id }) => !next.posts.has(id))) {
      toast(`At most ${maxSelected} posts can be changed together. The others are not selected.`, { tone: "error" })
    }
  }
  return {
    owner,
    canSelect,
    isOn: canSelect && isOn,
    posts: chosen,
    has: (id: string) => chosen.has(id),
    add,
    toggle: (post: PostJson) => {
      const before = selectionOf(owner)
      if (before.posts.has(post.id)) selection.set({ ...withoutPosts(before, new Set([post.id])), anchor: post.id })
      else add([post], post.id)
    },
    extend: (shown: ReadonlyArray<PostJson>, id: string) => add(between(shown, selectionOf(owner).anchor, id), id),
    switchMode: () => selection.set(isOn ? { ...noSelection, owner } : { ...selectionOf(owner), isOn: true }),
    clear: () => selection.set({ ...noSelection, owner })
  }
}

export type SelectionState = ReturnType<typeof useSelection>

/** The keys select the focused post, or all posts up to it. */
export const useSelectKeys = (
  group: string,
  { canSelect }: SelectionState,
  selectFocused: (isRange: boolean) => void
) => {
  const keyOf = (isRange: boolean) => (canSelect ? () => selectFocused(isRange) : undefined)
  useShortcut({ keys: "x", label: "Select the post", group }, keyOf(false))
  useShortcut({ keys: "Shift+x", label: "Select all posts up to this one", group }, keyOf(true))
}

const SelectedContext = createContext<Pick<SelectionState, "has" | "isOn">>({ isOn: false, has: () => false })
export const SelectedProvider = SelectedContext.Provider
export const useSelected = () => useContext(SelectedContext)
